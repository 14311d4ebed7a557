// The texts of a case as batches: its cycle, and others of the same shape that are compared or calibrate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datasets/cycle.h"
#include "datasets/dataset.h"
#include "datasets/row_frame.h"
#include "measure/worker_case.h"
#include "spec/model_config.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// What a case's texts follow from; borrowed.
struct CaseTexts {
  const Case& request;
  const ModelConfig& config;
  const DataSet& data;  // of synthetic texts, their number alone
  const Tokenizer& tokenizer;
};

/// Tokenised examples, a row each; empty for rows of a fixed length that texts fill, which are never cut.
struct CycleSource {
  std::vector<std::size_t> order;  // of the examples in the data set
  std::vector<Encoding> encodings;
  RowFrame frame;
  CycleOptions options;
};

struct CaseCycle {
  Cycle cycle;
  CycleSource source;  // what a cut cycle is made from
};

/// Throws what build_cycle throws.
CaseCycle make_cycle(const CaseTexts& texts);

/// Batches of a fixed length, of the texts that follow those of the cycle's one batch: as many as make up `rows` with
/// it. Of requests the prompts after the first, of which the cycle has several already.
std::vector<Batch> further_batches(const CaseTexts& texts, std::int64_t rows);

/// How much int8_static looks at: whole batches until one of them is reached.
struct CalibrationSize {
  std::int64_t examples = 64;
  std::int64_t tokens = 4096;
};

struct CalibrationBatches {
  std::vector<Batch> batches;  // none for a single text of natural length
  bool shares_texts = false;   // rows of a fixed length took every text, so that these begin with texts of theirs
};

/// How many of a file's examples calibrate, the last ones in their order: `most`, or all that are not compared, or,
/// where this leaves none, as many as leave enough to compare. `measured`: those of the cycle.
std::int64_t calibration_count(std::int64_t all, std::int64_t measured, std::int64_t most);

/// Batches of the case's shape for int8_static, whose ranges would fit too well if they came from the texts that are
/// compared (schema/outputs.h): from all others, limit or not. Where natural lengths leave none, as many of the last
/// texts as leave enough to compare, at least one.
CalibrationBatches calibration_batches(const CaseTexts& texts, const CalibrationSize& size);

}  // namespace transformeter
