#!/usr/bin/python3
"""Gensim's Doc2Vec and pyclustering's X-means on the data of learn_speed, and how far two sets of vectors agree.

    learn_peers.py doc2vec FILE VECTORS     the same parameters as learn_speed; one worker, so that CPU time is comparable
    learn_peers.py xmeans VECTORS [LEAST MOST]   into LEAST to MOST clusters
    learn_peers.py agree CORPUS VECTORS…    per set: how much more alike in words and in neighbouring words a document's
                                            nearest neighbours are than any two documents
"""
import random
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import numpy

numpy.warnings = warnings  # pyclustering 0.10 still looks for it there


def report(what, cpu, wall):
    print(f"{what} cpu {cpu:.4f} wall {wall:.4f}")


def doc2vec(corpus_path, vectors_path):
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument
    documents = [TaggedDocument(line.split(), [i]) for i, line in enumerate(open(corpus_path))]
    model = Doc2Vec(vector_size=100, window=3, alpha=0.05, epochs=20, workers=1, seed=1)
    model.build_vocab(documents)
    cpu, wall = time.process_time(), time.time()
    model.train(documents, total_examples=model.corpus_count, epochs=model.epochs)
    words = 20 * sum(len(d.words) for d in documents)
    report(f"words {words}", time.process_time() - cpu, time.time() - wall)
    numpy.savetxt(vectors_path, model.dv.vectors, fmt="%.6g")


def xmeans(vectors_path, least="2", most="20"):
    from pyclustering.cluster.center_initializer import kmeans_plusplus_initializer
    from pyclustering.cluster.xmeans import xmeans as peer
    data = numpy.loadtxt(vectors_path)
    cpu, wall = time.process_time(), time.time()
    start = kmeans_plusplus_initializer(data, int(least), random_state=1).initialize()
    instance = peer(data, start, int(most), ccore=False, random_state=1)
    instance.process()
    cpu_end, wall_end = time.process_time(), time.time()
    clusters, centers = instance.get_clusters(), numpy.array(instance.get_centers())
    inertia = sum(((data[c] - m) ** 2).sum() for c, m in zip(clusters, centers))
    count, columns, k = len(data), data.shape[1], len(clusters)
    variance = inertia / (count - k)
    bic = sum(len(c) * numpy.log(len(c)) - len(c) * numpy.log(count) - len(c) / 2 * numpy.log(2 * numpy.pi)
              - len(c) * columns / 2 * numpy.log(variance) - (len(c) - k) / 2 for c in clusters)
    bic -= ((k - 1) + columns * k + 1) / 2 * numpy.log(count)
    report(f"clusters {k} inertia {inertia:.6g} bic {bic:.6g}", cpu_end - cpu, wall_end - wall)


def agree(corpus_path, paths):
    """Equal quality: neighbours in the space share words and pairs of adjacent words more than strangers do."""
    texts = [line.split() for line in open(corpus_path)]
    bags = [set(t) | set(zip(t, t[1:])) for t in texts]
    chosen = random.Random(1).sample(range(len(texts)), min(300, len(texts)))

    def likeness(a, b):
        return len(bags[a] & bags[b]) / len(bags[a] | bags[b])

    strangers = numpy.mean([likeness(a, b) for a, b in zip(chosen, reversed(chosen)) if a != b])
    for path in paths:
        vectors = numpy.loadtxt(path)
        vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
        near = []
        for a in chosen:
            order = numpy.argsort(-(vectors @ vectors[a]))[1:6]
            near.append(numpy.mean([likeness(a, b) for b in order]))
        print(f"{path} {numpy.mean(near) / strangers:.4f}")


if __name__ == "__main__":
    command, arguments = sys.argv[1], sys.argv[2:]
    {"doc2vec": doc2vec, "xmeans": xmeans, "agree": lambda path, *rest: agree(path, rest)}[command](*arguments)
