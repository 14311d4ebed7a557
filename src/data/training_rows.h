// What a model learns from: the rows of a data set with the answers that a task wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/row_frame.h"
#include "text/tokenizer.h"

namespace transformeter {

/// A label that does not count, as PyTorch's ignore_index.
inline constexpr std::int64_t kNoLabel = -100;

/// What the labels of a row are.
enum class LabelKind {
  kRow,    // one class
  kToken,  // a class, or the id of a token, for each token; kNoLabel where none counts
  kSpan,   // the places of an answer's first and last token in the row
};

struct TrainingRow {
  Encoding encoding;
  std::vector<std::int64_t> labels;
};

/// The examples of a data set for one task. Every function may be called by several threads at once.
class TrainingRows {
 public:
  virtual ~TrainingRows() = default;
  /// Examples, at least 1: what is shuffled.
  virtual std::size_t size() const = 0;
  /// Rows of all examples of one epoch: more than examples where long ones are cut into windows.
  virtual std::int64_t row_count() const = 0;
  /// The rows of one example, at least one. The same for the same example and epoch; epochs differ where a task draws
  /// anew (masked_lm).
  virtual std::vector<TrainingRow> rows(std::size_t example, std::int64_t epoch) const = 0;
  virtual LabelKind label_kind() const = 0;
};

struct TrainingRowsOptions {
  std::string task;  // sequence_classification, token_classification, question_answering, masked_lm, causal_lm
  std::int64_t max_length = 0;        // tokens of a row at most; of causal_lm exactly
  std::int64_t stride = 128;          // question_answering: tokens that two windows of a context share
  std::optional<std::int64_t> limit;  // examples, a seeded draw; nothing: all
  std::uint64_t seed = 0;
  double masked_share = 0.15;  // masked_lm: of a row's own tokens
};

/// Reads what `data` holds for the task: classes and pairs by the data set's own columns, answers from SQuAD's forms,
/// tags from CoNLL's, and running text from a text file or a table's texts. Of sequence_classification the examples'
/// labels must be numbered already and lie in [0, classes). Borrows the tokenizer. Throws Error(kBadInput) for examples
/// without labels, a label out of range, a file of another form than the task needs, and a text too short for one row.
/// Classes of a row or a token that a data file names, in order; empty: numbers alone, or the task has none.
struct LabelledRows {
  std::unique_ptr<TrainingRows> rows;
  std::int64_t class_count = 0;  // 0: the task's classes are not the data's
  std::vector<std::string> class_names;
};
LabelledRows read_training_rows(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                                const TrainingRowsOptions& options);

/// Rows of random tokens, each max_length long, with random labels: for a data set's place, where only time counts.
std::unique_ptr<TrainingRows> synthetic_training_rows(std::size_t count, std::int64_t classes,
                                                      const Tokenizer& tokenizer, const TrainingRowsOptions& options);

}  // namespace transformeter
