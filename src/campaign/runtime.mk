# Our own generator as a small program, for campaigns.
runtime: $(RUNTIME)/generate
$(RUNTIME)/generate: $(BUILD)/src/campaign/runtime/generate.o $(BUILD)/libgen.a $(BUILD)/libbase.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
