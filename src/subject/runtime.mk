# The recipes of subjects.
runtime: $(patsubst subjects/%,$(RUNTIME)/subjects/%,$(wildcard subjects/*))
$(RUNTIME)/subjects/%: subjects/%
	@mkdir -p $(@D)
	@cp $< $@
