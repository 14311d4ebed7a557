// Question answering: a question with its context, in windows where both together are longer than the model.
#include <utility>

#include "base/error.h"
#include "datasets/answer_decoder.h"
#include "datasets/answer_windows.h"
#include "datasets/prediction_tasks.h"

namespace transformeter {
namespace {

class Questioned final : public EncodedInput {
 public:
  Questioned(std::vector<PairWindow> windows, const std::string& context, bool allow_no_answer)
      : windows_(std::move(windows)), context_(context) {
    options_.allow_no_answer = allow_no_answer;
    for (const PairWindow& window : windows_) rows_.push_back(window.encoding);
  }

  Prediction decode(std::span<const RowOutput> outputs) const override {
    std::vector<std::vector<float>> starts(windows_.size());
    std::vector<std::vector<float>> ends(windows_.size());
    std::vector<AnswerWindow> windows;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      for (std::size_t token = 0; token < rows_[i].ids.size(); ++token) {
        starts[i].push_back(outputs[i].token(token)[0]);
        ends[i].push_back(outputs[i].token(token)[1]);
      }
      windows.push_back({starts[i], ends[i], windows_[i].second, windows_[i].characters, windows_[i].bytes});
    }
    return {decode_answer(windows, context_, options_), false};
  }

 private:
  std::vector<PairWindow> windows_;
  const std::string& context_;
  AnswerOptions options_;
};

class AnswerTask final : public PredictionTask {
 public:
  AnswerTask(const PredictionModel& model, const PredictionOptions& options)
      : PredictionTask(true),
        model_(model),
        window_{*options.max_length, options.stride},
        allow_no_answer_(options.allow_no_answer) {
    if (options.stride < 0) throw bad_value("stride", std::to_string(options.stride), "at least 0");
  }

 private:
  std::unique_ptr<EncodedInput> do_encode(const PredictionInput& input) const override {
    if (!input.text_pair) {
      throw Error(ErrorKind::kBadInput, "question answering needs a pair: a question and its context");
    }
    std::vector<PairWindow> windows = answer_windows(model_.tokenizer, input.text, *input.text_pair, window_);
    return std::make_unique<Questioned>(std::move(windows), *input.text_pair, allow_no_answer_);
  }

  PredictionModel model_;
  WindowOptions window_;
  bool allow_no_answer_;
};

}  // namespace

std::unique_ptr<PredictionTask> make_answer_task(const PredictionModel& model, const PredictionOptions& options) {
  return std::make_unique<AnswerTask>(model, options);
}

}  // namespace transformeter
