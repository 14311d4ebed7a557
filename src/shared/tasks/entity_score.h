// Precision, recall and F1 of entities, as the Python package seqeval counts them (Nakayama 2018; its default mode is
// that of the conlleval script of CoNLL-2000).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "datasets/conll.h"
#include "tasks/score.h"

namespace transformeter {

struct Entity {
  std::string type;
  std::size_t begin = 0;  // first token
  std::size_t end = 0;    // behind the last
  auto operator<=>(const Entity&) const = default;
};

enum class EntityRules {
  kLenient,  // seqeval's default: an I- that follows nothing of its type begins an entity; also reads E- and S-
  kStrict,   // mode="strict", scheme=IOB2: an entity begins with B- and goes on while I- of its type follows
};

/// The entities of one sentence's tags.
std::vector<Entity> find_entities(const std::vector<std::string>& tags, EntityRules rules);

/// Micro-averaged precision, recall and F1 over all sentences, the F1 of strict IOB2, and the F1 of each type. The
/// strict F1 is left out, with a note, where tags are not IOB2: prefixes other than B- and I-, or annotated entities
/// that begin with I- more often than with B-, as in IOB1. An entity is right when type and both ends are. `predicted`
/// runs parallel to the sentences. Intervals come from a bootstrap over sentences. Where nothing was predicted or
/// nothing is there, the ratio is 0, as in seqeval.
ScoreReport score_entities(const std::vector<TaggedSentence>& sentences,
                           const std::vector<std::vector<std::string>>& predicted, const StopCheck& check = {});

}  // namespace transformeter
