// The classes of tagged sentences: which tags they are, and in which order.
#pragma once

#include <string>
#include <vector>

#include "datasets/conll.h"

namespace transformeter {

/// The tags of a data set as the classes to learn: in the order of `learnt`, a trained model's own, where these are the
/// very same tags, else sorted, as run_ner.py does.
std::vector<std::string> entity_classes(const TaggedSentenceSet& set, const std::vector<std::string>& learnt);

/// Throws Error(kBadInput) as "FILE:LINE: …" for a tag that is none of `classes`.
void check_tags(const TaggedSentenceSet& set, const std::vector<std::string>& classes, const std::string& where);

}  // namespace transformeter
