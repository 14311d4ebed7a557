// What a data set holds: classes, and lengths in a tokenizer's tokens.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "stats/summary.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

struct ClassFacts {
  std::string name;  // its number where the file has no names
  std::size_t texts = 0;
};

/// Of texts in rows of one length.
struct RowFacts {
  std::int64_t length = 0;    // tokens, special tokens included
  std::size_t cut_texts = 0;  // longer ones
  double padding_ratio = 0;   // padding ÷ all tokens of the rows
};

struct LengthFacts {
  Summary tokens;                          // of a text, special tokens included; not cut
  std::int64_t p90 = 0, p95 = 0, p99 = 0;  // the value of rank ⌈p n⌉
  std::vector<RowFacts> rows;              // of 32, 64, ... up to the first that cuts no text
};

struct DataFacts {
  std::size_t texts = 0;
  std::size_t pairs = 0;            // of them
  std::size_t unlabelled = 0;       // of a file with labels
  std::vector<ClassFacts> classes;  // empty: the file has no labels
  LengthFacts lengths;
};

/// `data` has one example at least. `while_working` is called now and then, and may throw to stop.
DataFacts data_facts(const DataSet& data, const Tokenizer& tokenizer, const std::function<void()>& while_working);

}  // namespace transformeter
