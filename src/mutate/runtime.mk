# The ingredient pool that comes with culprit.
POOL := $(patsubst src/mutate/pool/%,$(RUNTIME)/pool/%,$(wildcard src/mutate/pool/*.c))
runtime: $(POOL)
$(RUNTIME)/pool/%.c: src/mutate/pool/%.c
	@mkdir -p $(@D)
	@cp $< $@
