/* CTOS' Algorithm 3: instances are selected one by one, each time the one with the largest
 *
 *     score = dist(inst, total_center) * min over s in selected of dist(inst, s)
 *
 * The first of several wins. Asking every instance about every selected one costs M * k distances, 90 billion multiplications
 * for 3,000 of 300,000 sequences. But the minimum only falls as more are selected, so an old score is an upper bound: lazy
 * greedy selection (Minoux, 1978) keeps instances in a heap by their last known score and brings only the top one up to
 * date. If it stays on top it is the best of all; the result is the same.
 */
#include "learn/select.h"

#include <math.h>
#include <stdlib.h>

typedef struct Instance {
    float score;     /* an upper bound, exact for the first `known` of the selected ones */
    float nearest;   /* squared distance to the nearest of them */
    float to_center; /* not squared */
    uint32_t known;
    size_t row;
} Instance;

static bool is_better(const Instance *a, const Instance *b) {
    return a->score > b->score || (a->score == b->score && a->row < b->row);
}

static void sift_down(Instance *heap, size_t count, size_t at) {
    Instance moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_better(&heap[child + 1], &heap[child]))
            child++;
        if (!is_better(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

FOR_EACH_WIDTH
static void update(Instance *instance, const Vectors *points, const size_t *selected, size_t count) {
    const Lane *point = vectors_lanes(points, instance->row);
    for (size_t s = instance->known; s < count; s++) {
        float d = lanes_distance_squared(point, vectors_lanes(points, selected[s]), points->lanes_per_row);
        instance->nearest = MIN_OF(instance->nearest, d);
    }
    instance->known = (uint32_t)count;
    instance->score = instance->to_center * sqrtf(instance->nearest);
}

size_t select_representatives(const Vectors *points, size_t *selected, size_t given, size_t want) {
    CLEANUP(mem_freep) Instance *heap = mem_zalloc(points->rows + 1, sizeof *heap);
    CLEANUP(mem_freep) float *distances = mem_zalloc(points->rows + 1, sizeof *distances);
    Vectors center;
    vectors_init(&center, 1, points->columns);
    vectors_mean(points, center.lanes);
    vectors_distances_squared(points, 0, points->rows, center.lanes, distances);
    vectors_release(&center);
    for (size_t i = 0; i < points->rows; i++) {
        heap[i] = (Instance){.row = i, .to_center = sqrtf(distances[i]), .nearest = INFINITY, .score = INFINITY};
        if (given)
            update(&heap[i], points, selected, given);
        else
            heap[i].score = heap[i].to_center; /* of the first one, nothing is near */
    }
    for (size_t i = points->rows / 2; i-- > 0;)
        sift_down(heap, points->rows, i);
    size_t count = given;
    while (count < want && points->rows && heap[0].score > 0) {
        if (heap[0].known < count) {
            update(&heap[0], points, selected, count);
        } else {
            selected[count++] = heap[0].row;
            heap[0].score = -1;
        }
        sift_down(heap, points->rows, 0);
    }
    return count;
}
