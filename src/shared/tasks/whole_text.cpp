// A text or a pair is one row.
#include "tasks/whole_text.h"

#include <utility>

namespace transformeter {
namespace {

class WholeText final : public EncodedInput {
 public:
  WholeText(Encoding encoding, const WholeTextAnswer& answer) : answer_(answer) {
    rows_.push_back(std::move(encoding));
  }

  Prediction decode(std::span<const RowOutput> outputs) const override {
    Prediction prediction = answer_(outputs.front().values);
    prediction.truncated = rows_.front().truncated_tokens > 0;
    return prediction;
  }

 private:
  const WholeTextAnswer& answer_;
};

class WholeTextTask final : public PredictionTask {
 public:
  WholeTextTask(const Tokenizer& tokenizer, const PredictionOptions& options, WholeTextAnswer answer)
      : PredictionTask(true), tokenizer_(tokenizer), answer_(std::move(answer)) {
    encode_options_.max_length = options.max_length;
  }

 private:
  std::unique_ptr<EncodedInput> do_encode(const PredictionInput& input) const override {
    Encoding encoding = input.text_pair ? tokenizer_.encode_pair(input.text, *input.text_pair, encode_options_)
                                        : tokenizer_.encode(input.text, encode_options_);
    return std::make_unique<WholeText>(std::move(encoding), answer_);
  }

  const Tokenizer& tokenizer_;
  WholeTextAnswer answer_;
  EncodeOptions encode_options_;
};

}  // namespace

std::unique_ptr<PredictionTask> make_whole_text_task(const PredictionModel& model, const PredictionOptions& options,
                                                     WholeTextAnswer answer) {
  return std::make_unique<WholeTextTask>(model.tokenizer, options, std::move(answer));
}

}  // namespace transformeter
