// The two parts of a model that encodes a text and makes another of it, each as a blueprint of its own.
#pragma once

#include "spec/blueprint.h"

namespace transformeter {

/// Without a decoder and a head: the hidden states of all tokens. `whole` has a decoder.
Blueprint encoder_of(const Blueprint& whole);

/// The decoder as a causal model whose layers also attend to what was encoded, with the head. `whole` has a decoder.
Blueprint decoder_of(const Blueprint& whole);

}  // namespace transformeter
