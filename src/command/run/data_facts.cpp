// Every text is counted: nothing is estimated.
#include "run/data_facts.h"

#include <algorithm>
#include <cmath>

namespace transformeter {
namespace {

constexpr std::size_t kBlock = 1024;  // texts between two checks for an interrupt

std::vector<std::int64_t> token_counts(const DataSet& data, const Tokenizer& tokenizer,
                                       const std::function<void()>& while_working) {
  std::vector<std::int64_t> counts;
  counts.reserve(data.examples.size());
  for (const Example& example : data.examples) {
    if (counts.size() % kBlock == 0 && while_working) while_working();
    const Encoding encoding =
        example.text_pair ? tokenizer.encode_pair(example.text, *example.text_pair) : tokenizer.encode(example.text);
    counts.push_back(static_cast<std::int64_t>(encoding.ids.size()));
  }
  return counts;
}

std::int64_t at_rank(const std::vector<std::int64_t>& sorted, double p) {
  const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

RowFacts row_facts(const std::vector<std::int64_t>& sorted, std::int64_t length) {
  RowFacts facts;
  facts.length = length;
  double useful = 0;
  for (const std::int64_t count : sorted) {
    useful += static_cast<double>(std::min(count, length));
    facts.cut_texts += count > length ? 1 : 0;
  }
  facts.padding_ratio = 1 - useful / (static_cast<double>(length) * static_cast<double>(sorted.size()));
  return facts;
}

LengthFacts length_facts(std::vector<std::int64_t> counts) {
  constexpr std::int64_t kShortestRow = 32;
  constexpr std::int64_t kLongestRow = 32768;
  LengthFacts facts;
  facts.tokens = *summarize(std::vector<double>(counts.begin(), counts.end()));
  std::sort(counts.begin(), counts.end());
  facts.p90 = at_rank(counts, 0.90);
  facts.p95 = at_rank(counts, 0.95);
  facts.p99 = at_rank(counts, 0.99);
  for (std::int64_t length = kShortestRow; length <= kLongestRow; length *= 2) {
    facts.rows.push_back(row_facts(counts, length));
    if (facts.rows.back().cut_texts == 0) break;
  }
  return facts;
}

void count_classes(const DataSet& data, DataFacts& facts) {
  if (data.label_count == 0) return;
  for (int label = 0; label < data.label_count; ++label) {
    const auto place = static_cast<std::size_t>(label);
    facts.classes.push_back({place < data.label_names.size() ? data.label_names[place] : std::to_string(label), 0});
  }
  for (const Example& example : data.examples) {
    if (example.label) {
      ++facts.classes[static_cast<std::size_t>(*example.label)].texts;
    } else {
      ++facts.unlabelled;
    }
  }
}

}  // namespace

DataFacts data_facts(const DataSet& data, const Tokenizer& tokenizer, const std::function<void()>& while_working) {
  DataFacts facts;
  facts.texts = data.examples.size();
  facts.pairs = static_cast<std::size_t>(std::count_if(data.examples.begin(), data.examples.end(),
                                                       [](const Example& one) { return one.text_pair.has_value(); }));
  count_classes(data, facts);
  facts.lengths = length_facts(token_counts(data, tokenizer, while_working));
  return facts;
}

}  // namespace transformeter
