// For programs that only turn text into tokens: link transformeter_tokenizers, which needs only `base` of the project.
#pragma once

#include "tokenizers/chat_template.h"     // render_chat: a conversation as a model reads it
#include "tokenizers/tokenizer.h"         // Tokenizer: encode, decode, tokenize with places
#include "tokenizers/tokenizer_loader.h"  // load_tokenizer: from the files of a checkpoint
