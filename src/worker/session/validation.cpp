// Tasks with answers are asked as `predict` asks them and scored as `score` scores them.
#include "session/validation.h"

#include <ATen/core/grad_mode.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "measure/row_outputs.h"
#include "model/autocast.h"
#include "schema/divergence.h"
#include "tasks/accuracy.h"
#include "tasks/entity_score.h"
#include "tasks/prediction_inputs.h"
#include "tasks/prediction_task.h"
#include "tasks/squad_score.h"
#include "tasks/task_type.h"

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

// The outputs of rows in their order, computed in batches of similar length.
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

// What is asked again and again, encoded once, so that what cannot be is known before anything is learnt.
class AskedInputs {
 public:
  // `labels` are the training's classes where answers name them. `place_of` names an input in errors.
  AskedInputs(const Training& training, std::vector<std::string> labels, std::vector<PredictionInput> inputs,
              PredictionOptions options, const std::function<std::string(std::size_t)>& place_of)
      : inputs_(std::move(inputs)) {
    options.max_length = training.request.sequence_length.value_or(training.config.max_length);
    const PredictionModel model{*training.tokenizer, std::move(labels), training.config.max_length};
    task_ = make_prediction_task(training.request.task, model, options);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      try {
        encoded_.push_back(task_->encode(inputs_[i]));
      } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: {}", place_of(i), error.what()));
      }
    }
  }
  AskedInputs(const AskedInputs&) = delete;
  AskedInputs& operator=(const AskedInputs&) = delete;

  std::vector<Prediction> answers(const Training& training, const std::function<void()>& alive) const {
    std::vector<Prediction> predictions;
    for (std::size_t begin = 0; begin < encoded_.size(); begin += kBlock) {
      const auto block = std::span(encoded_).subspan(begin, std::min(kBlock, encoded_.size() - begin));
      std::vector<Encoding> rows;
      for (const auto& input : block) rows.insert(rows.end(), input->rows().begin(), input->rows().end());
      const RowOutputs outputs = run_rows(training, rows, alive);
      std::span<const RowOutput> rest = outputs.rows();
      for (const auto& input : block) {
        predictions.push_back(input->decode(rest.first(input->rows().size())));
        rest = rest.subspan(input->rows().size());
      }
    }
    return predictions;
  }

 private:
  std::vector<PredictionInput> inputs_;  // which those that are encoded borrow, and the task
  std::unique_ptr<PredictionTask> task_;
  std::vector<std::unique_ptr<EncodedInput>> encoded_;
};

std::vector<PredictionInput> texts_of(const DataSet& data) {
  std::vector<PredictionInput> inputs;
  for (const Example& example : data.examples) inputs.push_back({example.text, example.text_pair, {}});
  return inputs;
}

// −ln of the label's softmax.
double cross_entropy(const std::vector<float>& logits, int label) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return std::log(sum) + largest - logits.at(static_cast<std::size_t>(label));
}

class Classes final : public Validation {
 public:
  Classes(const Training& training, const DataSet& data, const std::string& where)
      : asked_(training, {}, texts_of(data), {},
               [&](std::size_t i) { return fmt::format("{}: example '{}'", where, excerpt(data.examples[i].text)); }) {
    for (const Example& example : data.examples) labels_.push_back(example.label.value());
  }

  ValidationResult validate(const Training& training, const std::function<void()>& alive) const override {
    std::vector<int> predicted;
    double loss = 0;
    for (const Prediction& prediction : asked_.answers(training, alive)) {
      const auto& answer = std::get<ClassPrediction>(prediction.value);
      loss += cross_entropy(answer.logits, labels_[predicted.size()]);
      predicted.push_back(static_cast<int>(answer.label_id));
    }
    return {score_classification(predicted, labels_, alive).scores, loss / static_cast<double>(labels_.size()), false};
  }

 private:
  AskedInputs asked_;
  std::vector<int> labels_;
};

class Entities final : public Validation {
 public:
  Entities(const Training& training, const TaggedSentenceSet& set, const std::vector<std::string>& tags,
           const std::string& where)
      : sentences_(set.sentences), asked_(training, tags, prediction_inputs(set).inputs, {}, [&](std::size_t i) {
          return fmt::format("{}:{}", where, set.sentences[i].front().line);
        }) {}

  ValidationResult validate(const Training& training, const std::function<void()>& alive) const override {
    std::vector<std::vector<std::string>> predicted;
    for (const Prediction& answer : asked_.answers(training, alive)) {
      predicted.push_back(std::get<EntityPrediction>(answer.value).tags);
    }
    return {score_entities(sentences_, predicted, alive).scores, std::nullopt, false};
  }

 private:
  std::vector<TaggedSentence> sentences_;
  AskedInputs asked_;
};

PredictionOptions answer_options(const QuestionSet& set, std::int64_t stride) {
  PredictionOptions options;
  options.stride = stride;
  options.allow_no_answer = set.has_unanswerable;
  return options;
}

class Answers final : public Validation {
 public:
  Answers(const Training& training, QuestionSet set, std::int64_t stride, const std::string& where)
      : set_(std::move(set)),
        asked_(training, {}, prediction_inputs(set_).inputs, answer_options(set_, stride),
               [&](std::size_t i) { return fmt::format("{}: question '{}'", where, excerpt(set_.questions[i].id)); }) {}

  ValidationResult validate(const Training& training, const std::function<void()>& alive) const override {
    std::map<std::string, std::string> predicted;
    const std::vector<Prediction> answers = asked_.answers(training, alive);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      predicted[set_.questions[i].id] = std::get<AnswerPrediction>(answers[i].value).answer;
    }
    ValidationResult result{score_question_answering(set_, predicted, alive).scores, std::nullopt, false};
    // By F1, which nearly right answers raise too.
    std::stable_partition(result.scores.begin(), result.scores.end(),
                          [](const Score& score) { return score.name == "f1" && score.group.empty(); });
    return result;
  }

 private:
  QuestionSet set_;
  AskedInputs asked_;
};

class Tokens final : public Validation {
 public:
  explicit Tokens(LabelledRows rows) : rows_(std::move(rows)) {}

  ValidationResult validate(const Training& training, const std::function<void()>& alive) const override {
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
      loss +=
          loss_sum(loss_of(training.request.task), forward(training, micro_batch), micro_batch.labels).item<double>();
      labels += micro_batch.labels.count;
    }
    if (labels == 0)
      throw Error(ErrorKind::kBadInput, "the evaluation data has no tokens to score, so there is no perplexity");
    const double mean = loss / static_cast<double>(labels);
    if (!std::isfinite(mean)) throw Error(ErrorKind::kDiverged, fmt::format("{}{}", kDivergedLoss, mean));
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

std::unique_ptr<Validation> make_class_validation(const Training& training, const DataSet& data,
                                                  const std::string& where) {
  return std::make_unique<Classes>(training, data, where);
}
std::unique_ptr<Validation> make_entity_validation(const Training& training, const TaggedSentenceSet& set,
                                                   const std::vector<std::string>& tags, const std::string& where) {
  return std::make_unique<Entities>(training, set, tags, where);
}
std::unique_ptr<Validation> make_answer_validation(const Training& training, QuestionSet set, std::int64_t stride,
                                                   const std::string& where) {
  return std::make_unique<Answers>(training, std::move(set), stride, where);
}
std::unique_ptr<Validation> make_token_validation(LabelledRows rows) {
  return std::make_unique<Tokens>(std::move(rows));
}

}  // namespace transformeter
