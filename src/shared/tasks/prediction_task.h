// What each task makes of a text before the model, and of the model's numbers after it. The model itself is somebody
// else's: nothing here needs LibTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/prediction.h"
#include "schema/task.h"
#include "spec/score_function.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// What a model gave for one row; row-major [tokens, width], padding may follow; or [width] of a task that has one
/// output for a row.
struct RowOutput {
  std::span<const float> values;
  std::size_t width = 0;

  std::span<const float> token(std::size_t index) const { return values.subspan(index * width, width); }
};

/// One input as rows of token ids: one row, or the windows of a pair that is too long for one.
class EncodedInput {
 public:
  virtual ~EncodedInput() = default;
  const std::vector<Encoding>& rows() const { return rows_; }
  /// The answer from the outputs of all rows, in their order. Numbers must be finite.
  virtual Prediction decode(std::span<const RowOutput> outputs) const = 0;

 protected:
  std::vector<Encoding> rows_;
};

/// What is known of the model. Borrows the tokenizer.
struct PredictionModel {
  const Tokenizer& tokenizer;
  std::vector<std::string> labels;  // by class; empty: the model names none
  std::int64_t max_positions = 512;
  // Tokens a text is cut to, unless asked otherwise; nothing: max_positions.
  std::optional<std::int64_t> text_length = std::nullopt;
  std::string prompt = {};  // put before each text
  // Of sequence classification; nothing: as the text classification pipeline of Transformers.
  std::optional<ScoreFunction> score_function = std::nullopt;
  bool is_encoder_decoder = false;  // new tokens take no room from the text's
};

class PredictionTask {
 public:
  virtual ~PredictionTask() = default;
  /// Throws Error(kBadInput) for an input that the task cannot answer. The object borrows the input and this task.
  std::unique_ptr<EncodedInput> encode(const PredictionInput& input) const;

 protected:
  explicit PredictionTask(bool takes_pairs) : takes_pairs_(takes_pairs) {}

 private:
  virtual std::unique_ptr<EncodedInput> do_encode(const PredictionInput& input) const = 0;

  bool takes_pairs_;
};

/// Throws Error(kBadInput) for options that do not fit the model, and Error(kUnsupported) for a task without answers
/// and for a tokenizer that lacks what the task needs. The object borrows what `model` borrows.
std::unique_ptr<PredictionTask> make_prediction_task(Task task, const PredictionModel& model,
                                                     const PredictionOptions& options);

/// Throws Error(kBadInput) for a text that is not UTF-8, and for a pair where the task takes none.
void check_input(const PredictionInput& input, bool takes_pairs);

}  // namespace transformeter
