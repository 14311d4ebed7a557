// Tasks with answers are asked as `predict` asks them and scored as `score` scores them.
#include "worker/examination.h"

#include <ATen/core/grad_mode.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "data/accuracy.h"
#include "data/entity_score.h"
#include "data/prediction_inputs.h"
#include "data/prediction_task.h"
#include "data/squad_score.h"
#include "model/autocast.h"
#include "worker/row_outputs.h"

namespace transformeter {
namespace {

constexpr std::size_t kBlock = 512;  // inputs whose outputs lie in memory at a time

// A pass as a step's forward pass, but for dropout.
at::Tensor forward(const Training& training, const MicroBatch& batch) {
  const at::NoGradGuard guard;
  const Autocast autocast(batch.inputs.input_ids.device().type(), trainer_options(training.request).autocast);
  return spread(training.model->forward(batch.inputs, *training.operators), batch);
}

MicroBatch padded_batch(const Training& training, const Batch& inputs) {
  TrainingBatch batch;
  batch.inputs = inputs;
  batch.labels.assign(static_cast<std::size_t>(inputs.batch_size), 0);
  MicroBatchOptions options = micro_batch_options(training);
  options.packed = false;
  return make_micro_batch(batch, options);
}

// The outputs of rows in their order, computed in batches of like length.
RowOutputs run_rows(const Training& training, const std::vector<Encoding>& rows, const std::function<void()>& alive) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  CycleOptions options;
  options.batch_size = training.request.batch_size;
  options.max_positions = training.config.max_length;
  options.bucket_window = static_cast<std::int64_t>(rows.size());
  RowOutputs outputs(rows.size(), ErrorKind::kDiverged);
  for (const Batch& batch : build_cycle(order, rows, row_frame(*training.tokenizer), options).batches) {
    outputs.add(forward(training, padded_batch(training, batch)), batch);
    alive();
  }
  return outputs;
}

std::vector<Prediction> answers_to(const Training& training, const std::vector<PredictionInput>& inputs,
                                   PredictionOptions options, const std::function<void()>& alive) {
  options.max_length = training.request.sequence_length.value_or(training.config.max_length);
  const PredictionModel model{*training.tokenizer, training.config.labels, training.config.max_length};
  const std::unique_ptr<PredictionTask> task = make_prediction_task(training.request.task, model, options);
  std::vector<Prediction> predictions;
  for (std::size_t begin = 0; begin < inputs.size(); begin += kBlock) {
    const std::size_t end = std::min(inputs.size(), begin + kBlock);
    std::vector<std::unique_ptr<EncodedInput>> encoded;
    std::vector<Encoding> rows;
    for (std::size_t i = begin; i < end; ++i) {
      encoded.push_back(task->encode(inputs[i]));
      rows.insert(rows.end(), encoded.back()->rows().begin(), encoded.back()->rows().end());
    }
    const RowOutputs outputs = run_rows(training, rows, alive);
    std::span<const RowOutput> rest = outputs.rows();
    for (const auto& input : encoded) {
      predictions.push_back(input->decode(rest.first(input->rows().size())));
      rest = rest.subspan(input->rows().size());
    }
  }
  return predictions;
}

// −ln of the label's softmax.
double cross_entropy(const std::vector<float>& logits, int label) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return std::log(sum) + largest - logits.at(static_cast<std::size_t>(label));
}

class Classes final : public Examination {
 public:
  explicit Classes(DataSet data) : data_(std::move(data)) {}

  ExaminationResult examine(const Training& training, const std::function<void()>& alive) const override {
    std::vector<PredictionInput> inputs;
    for (const Example& example : data_.examples) inputs.push_back({example.text, example.text_pair, {}});
    std::vector<int> predicted;
    std::vector<int> labels;
    double loss = 0;
    const std::vector<Prediction> answers = answers_to(training, inputs, {}, alive);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto& answer = std::get<ClassPrediction>(answers[i].value);
      predicted.push_back(static_cast<int>(answer.label_id));
      labels.push_back(data_.examples[i].label.value());
      loss += cross_entropy(answer.logits, labels.back());
    }
    return {score_classification(predicted, labels, alive).scores, loss / static_cast<double>(labels.size()), false};
  }

 private:
  DataSet data_;
};

class Entities final : public Examination {
 public:
  explicit Entities(TaggedSentenceSet set) : inputs_(prediction_inputs(std::move(set))) {}

  ExaminationResult examine(const Training& training, const std::function<void()>& alive) const override {
    std::vector<std::vector<std::string>> predicted;
    for (const Prediction& answer : answers_to(training, inputs_.inputs, {}, alive)) {
      predicted.push_back(std::get<EntityPrediction>(answer.value).tags);
    }
    return {score_entities(inputs_.sentences, predicted, alive).scores, std::nullopt, false};
  }

 private:
  PredictionInputs inputs_;
};

class Answers final : public Examination {
 public:
  Answers(QuestionSet set, std::int64_t stride) : set_(std::move(set)), inputs_(prediction_inputs(set_)) {
    options_.stride = stride;
    options_.allow_no_answer = set_.has_unanswerable;
  }

  ExaminationResult examine(const Training& training, const std::function<void()>& alive) const override {
    std::map<std::string, std::string> predicted;
    const std::vector<Prediction> answers = answers_to(training, inputs_.inputs, options_, alive);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      predicted[inputs_.ids[i]] = std::get<AnswerPrediction>(answers[i].value).answer;
    }
    ExaminationResult result{score_question_answering(set_, predicted, alive).scores, std::nullopt, false};
    // By F1, which nearly right answers raise too.
    std::stable_partition(result.scores.begin(), result.scores.end(),
                          [](const Score& score) { return score.name == "f1" && score.group.empty(); });
    return result;
  }

 private:
  QuestionSet set_;
  PredictionInputs inputs_;
  PredictionOptions options_;
};

class Tokens final : public Examination {
 public:
  explicit Tokens(LabelledRows rows) : rows_(std::move(rows)) {}

  ExaminationResult examine(const Training& training, const std::function<void()>& alive) const override {
    LoaderOptions options = loader_options(training.request, *training.tokenizer);
    options.shuffled = false;
    options.threads = 0;
    BatchLoader loader(*rows_.rows, options);
    double loss = 0;
    std::int64_t labels = 0;
    for (bool is_last = false; !is_last; alive()) {
      const TrainingBatch batch = loader.next();
      is_last = batch.ends_epoch;
      const MicroBatch micro_batch = make_micro_batch(batch, micro_batch_options(training));
      const at::NoGradGuard guard;
      loss += loss_sum(training.request.task, forward(training, micro_batch), micro_batch.labels).item<double>();
      labels += micro_batch.labels.count;
    }
    if (labels == 0)
      throw Error(ErrorKind::kBadInput, "no token of the evaluation data counts: there is no perplexity");
    const double mean = loss / static_cast<double>(labels);
    if (!std::isfinite(mean)) throw Error(ErrorKind::kDiverged, fmt::format("the loss is {}", mean));
    Score score;
    score.name = "perplexity";
    score.estimate = {std::exp(mean), std::nullopt, static_cast<std::size_t>(labels)};
    score.counts = "tokens";
    return {{score}, mean, true};
  }

 private:
  LabelledRows rows_;
};

}  // namespace

std::unique_ptr<Examination> examine_classes(DataSet data) {
  return std::make_unique<Classes>(std::move(data));
}
std::unique_ptr<Examination> examine_entities(TaggedSentenceSet set) {
  return std::make_unique<Entities>(std::move(set));
}
std::unique_ptr<Examination> examine_answers(QuestionSet set, std::int64_t stride) {
  return std::make_unique<Answers>(std::move(set), stride);
}
std::unique_ptr<Examination> examine_tokens(LabelledRows rows) {
  return std::make_unique<Tokens>(std::move(rows));
}

}  // namespace transformeter
