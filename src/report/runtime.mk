# What pages are made with: the style sheet and the scripts, copied into every page.
runtime: $(patsubst src/report/assets/%,$(RUNTIME)/report/%,$(wildcard src/report/assets/*))
$(RUNTIME)/report/%: src/report/assets/%
	@mkdir -p $(@D)
	@cp $< $@
