// Examples kept back from learning, to see what was learnt.
#pragma once

#include <cstdint>
#include <string>

#include "datasets/conll.h"
#include "datasets/dataset.h"
#include "datasets/squad.h"

namespace transformeter {

template <typename T>
struct HeldOut {
  T learnt;  // the rest
  T kept;
};

/// A seeded draw of `share`, in (0, 1), to the nearest whole number and at least one on either side; what is kept and
/// what is not stand in the file's order. Of questions whole groups (articles, paragraphs) are drawn, of captions
/// images with all of theirs, until as many are kept: one context or image is not seen on both sides. Throws
/// Error(kBadInput), naming `where`, for fewer than two examples or groups, and for another share.
HeldOut<DataSet> hold_out(DataSet data, double share, std::uint64_t seed, const std::string& where);
HeldOut<TaggedSentenceSet> hold_out(TaggedSentenceSet set, double share, std::uint64_t seed, const std::string& where);
HeldOut<QuestionSet> hold_out(QuestionSet set, double share, std::uint64_t seed, const std::string& where);

}  // namespace transformeter
