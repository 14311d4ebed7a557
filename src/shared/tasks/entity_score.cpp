// The two tests of conlleval, "does a chunk end here" and "does one begin", and counting.
#include "tasks/entity_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "base/error.h"

namespace transformeter {
namespace {

struct Tag {
  char prefix = 'O';
  std::string_view type;
};

Tag parse_tag(std::string_view tag) {
  if (tag.size() < 3) return {};
  // L and U are other names of E and S.
  const char prefix = tag[0] == 'L' ? 'E' : tag[0] == 'U' ? 'S' : tag[0];
  return {prefix, tag.substr(2)};
}

bool is_any_of(char prefix, std::string_view set) {
  return set.find(prefix) != std::string_view::npos;
}

bool ends_before(const Tag& last, const Tag& tag) {
  if (is_any_of(last.prefix, "ES")) return true;
  if (is_any_of(last.prefix, "BI") && is_any_of(tag.prefix, "BSO")) return true;
  return last.prefix != 'O' && last.type != tag.type;
}

bool begins_at(const Tag& last, const Tag& tag) {
  if (is_any_of(tag.prefix, "BS")) return true;
  if (is_any_of(last.prefix, "ESO") && is_any_of(tag.prefix, "EI")) return true;
  return tag.prefix != 'O' && last.type != tag.type;
}

std::vector<Entity> lenient_entities(const std::vector<std::string>& tags) {
  std::vector<Entity> entities;
  std::size_t begin = 0;
  Tag last;
  for (std::size_t i = 0; i <= tags.size(); ++i) {
    const Tag tag = i < tags.size() ? parse_tag(tags[i]) : Tag{};
    if (ends_before(last, tag)) entities.push_back({std::string(last.type), begin, i});
    if (begins_at(last, tag)) begin = i;
    last = tag;
  }
  return entities;
}

std::vector<Entity> strict_entities(const std::vector<std::string>& tags) {
  std::vector<Entity> entities;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const Tag first = parse_tag(tags[i]);
    if (first.prefix != 'B') continue;
    std::size_t end = i + 1;
    while (end < tags.size() && parse_tag(tags[end]).prefix == 'I' && parse_tag(tags[end]).type == first.type) ++end;
    entities.push_back({std::string(first.type), i, end});
  }
  return entities;
}

struct EntityCount {
  double correct = 0;
  double expected = 0;
  double predicted = 0;

  EntityCount& operator+=(const EntityCount& other) {
    correct += other.correct;
    expected += other.expected;
    predicted += other.predicted;
    return *this;
  }
};

double precision_of(const EntityCount& count) {
  return count.predicted > 0 ? count.correct / count.predicted : 0;
}
double recall_of(const EntityCount& count) {
  return count.expected > 0 ? count.correct / count.expected : 0;
}
double f1_of(const EntityCount& count) {
  const double both = count.expected + count.predicted;
  return both > 0 ? 2 * count.correct / both : 0;
}

// By type; "" is all of them.
using SentenceCounts = std::map<std::string, EntityCount>;

std::vector<std::string> tags_of(const TaggedSentence& sentence) {
  std::vector<std::string> tags;
  for (const TaggedToken& token : sentence) tags.push_back(token.tag);
  return tags;
}

SentenceCounts count_sentence(const TaggedSentence& sentence, const std::vector<std::string>& predicted,
                              EntityRules rules) {
  const std::vector<Entity> truth = find_entities(tags_of(sentence), rules);
  SentenceCounts counts;
  const auto add = [&](const Entity& entity, double EntityCount::*field) {
    ++(counts[entity.type].*field);
    ++(counts[""].*field);
  };
  for (const Entity& entity : truth) add(entity, &EntityCount::expected);
  for (const Entity& entity : find_entities(predicted, rules)) {
    add(entity, &EntityCount::predicted);
    if (std::find(truth.begin(), truth.end(), entity) != truth.end()) add(entity, &EntityCount::correct);
  }
  return counts;
}

// One type's counts by sentence, for resampling.
std::vector<EntityCount> by_sentence(const std::vector<SentenceCounts>& sentences, const std::string& type) {
  std::vector<EntityCount> counts;
  for (const SentenceCounts& sentence : sentences) {
    const auto found = sentence.find(type);
    counts.push_back(found == sentence.end() ? EntityCount{} : found->second);
  }
  return counts;
}

struct EntityRatio {
  const char* name;
  double (*of)(const EntityCount&);
  double EntityCount::*counted;  // what the score's n is
  const char* counts;
};
constexpr EntityRatio kF1{"entity_f1", f1_of, &EntityCount::expected, "annotated entities"};
constexpr EntityRatio kStrictF1{"entity_f1_strict", f1_of, &EntityCount::expected, "annotated entities"};
constexpr EntityRatio kRecall{"entity_recall", recall_of, &EntityCount::expected, "annotated entities"};
constexpr EntityRatio kPrecision{"entity_precision", precision_of, &EntityCount::predicted, "predicted entities"};

Score score_of(const EntityRatio& ratio, const std::string& type, const std::vector<EntityCount>& counts,
               const StopCheck& check) {
  EntityCount total;
  for (const EntityCount& count : counts) total += count;
  const auto statistic = [&](std::span<const std::size_t> chosen) -> std::optional<double> {
    EntityCount sum;
    for (const std::size_t i : chosen) sum += counts[i];
    return ratio.of(sum);
  };
  Score score;
  score.name = ratio.name;
  score.group = type;
  score.estimate = {ratio.of(total), {}, static_cast<std::size_t>(total.*ratio.counted)};
  score.counts = ratio.counts;
  add_bootstrap_interval(score, counts.size(), "sentences", statistic, check);
  return score;
}

// The first tag that IOB2 does not have; empty where there is none.
std::string foreign_tag(const std::vector<std::string>& tags) {
  const auto is_foreign = [](const std::string& tag) { return is_any_of(tag[0], "ESLU"); };
  const auto found = std::find_if(tags.begin(), tags.end(), is_foreign);
  return found == tags.end() ? "" : *found;
}

// Why the strict score, which is defined on IOB2, would mislead; empty where it does not.
std::string why_not_strict(const std::vector<TaggedSentence>& sentences,
                           const std::vector<std::vector<std::string>>& predicted) {
  const std::string note = "entity_f1_strict is omitted: it is defined for IOB2 tags, ";
  std::size_t begun_inside = 0;
  std::size_t entities = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::vector<std::string> truth = tags_of(sentences[i]);
    for (const std::vector<std::string>* tags : {&truth, &predicted[i]}) {
      const std::string tag = foreign_tag(*tags);
      if (!tag.empty()) return note + fmt::format("which '{}' is not", tag);
    }
    for (const Entity& entity : lenient_entities(truth)) {
      ++entities;
      begun_inside += truth[entity.begin][0] == 'I';
    }
  }
  if (2 * begun_inside <= entities) return "";
  return note + fmt::format("but {} of {} annotated entities begin with I-", begun_inside, entities);
}

}  // namespace

std::vector<Entity> find_entities(const std::vector<std::string>& tags, EntityRules rules) {
  return rules == EntityRules::kStrict ? strict_entities(tags) : lenient_entities(tags);
}

ScoreReport score_entities(const std::vector<TaggedSentence>& sentences,
                           const std::vector<std::vector<std::string>>& predicted, const StopCheck& check) {
  if (sentences.size() != predicted.size()) {
    throw Error(ErrorKind::kInternal,
                fmt::format("{} predictions for {} sentences", predicted.size(), sentences.size()));
  }
  std::vector<SentenceCounts> lenient;
  std::vector<SentenceCounts> strict;
  SentenceCounts types;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    lenient.push_back(count_sentence(sentences[i], predicted[i], EntityRules::kLenient));
    strict.push_back(count_sentence(sentences[i], predicted[i], EntityRules::kStrict));
    for (const auto& [type, count] : lenient.back()) types[type] += count;
  }
  ScoreReport report{Task::kTokenClassification, "entities as in seqeval's default mode; strict: IOB2", {}, {}};
  const std::vector<EntityCount> all = by_sentence(lenient, "");
  report.scores.push_back(score_of(kF1, "", all, check));
  report.scores.push_back(score_of(kPrecision, "", all, check));
  report.scores.push_back(score_of(kRecall, "", all, check));
  if (const std::string why = why_not_strict(sentences, predicted); why.empty()) {
    report.scores.push_back(score_of(kStrictF1, "", by_sentence(strict, ""), check));
  } else {
    report.notes.push_back(why);
  }
  for (const auto& [type, count] : types) {
    if (!type.empty()) report.scores.push_back(score_of(kF1, type, by_sentence(lenient, type), check));
  }
  return report;
}

}  // namespace transformeter
