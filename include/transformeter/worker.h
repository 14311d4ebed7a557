// For a custom worker: families of models, their modules and tokenizers, and the program around them.
#pragma once

#include "model/model.h"           // Model: what a module computes
#include "model/parameters.h"      // Parameters: its weights by name
#include "model/registry.h"        // ModelRegistry: where it is added
#include "session/program.h"       // run_worker: main()
#include "spec/architecture.h"     // Architecture: how its config.json is read, its parameters and presets
#include "tokenizers/tokenizer.h"  // Tokenizer: when a family brings its own
