// Tasks with answers are asked as `predict` asks them and scored as `score` scores them.
#include "session/validation.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "datasets/sound_batch.h"
#include "measure/case_images.h"
#include "measure/row_outputs.h"
#include "model/autocast.h"
#include "model/two_towers.h"
#include "schema/divergence.h"
#include "spec/architecture.h"
#include "tasks/image_inputs.h"
#include "tasks/prediction_task.h"
#include "tasks/retrieval_score.h"
#include "tasks/sound_inputs.h"
#include "tasks/task_type.h"
#include "train/loss.h"

namespace transformeter {
namespace {

constexpr std::size_t kBlock = 512;  // inputs whose outputs lie in memory at a time

// A pass as a step's forward pass, but for dropout.
at::Tensor forward(const Training& training, const MicroBatch& batch) {
  const at::NoGradGuard guard;
  const Autocast autocast(batch.inputs.device().type(), trainer_options(training.request).autocast);
  return spread(training.model->forward(batch.inputs, *training.operators), batch);
}

MicroBatch padded_batch(const Training& training, const Batch& inputs) {
  TrainingBatch batch;
  batch.inputs = inputs;
  batch.labels.assign(static_cast<std::size_t>(inputs.batch_size), 0);
  MicroBatchOptions options = micro_batch_options(training);
  options.loss = LossKind::kLabels;  // whatever is learnt: these labels only fill their place
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

// Asked again and again, encoded once, so that what cannot be is known before anything is learnt.
class Asked final : public Validation {
 public:
  Asked(const Training& training, std::unique_ptr<ScoredInputs> inputs) : inputs_(std::move(inputs)) {
    PredictionOptions options = inputs_->options();
    options.max_length = training.request.sequence_length.value_or(
        training.config.text_length(training.request, training.tokenizer->traits().max_length));
    const PredictionModel model{*training.tokenizer, inputs_->labels(), training.config.max_length};
    task_ = make_prediction_task(training.request.task, model, options);
    for (std::size_t i = 0; i < inputs_->inputs().size(); ++i) {
      try {
        encoded_.push_back(task_->encode(inputs_->inputs()[i]));
      } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: {}", inputs_->place_of(i), error.what()));
      }
    }
  }

  ValidationResult validate(const Training& training, const std::function<void()>& alive) const override {
    AnswerScores result = inputs_->score(answers(training, alive), alive);
    return {std::move(result.scores), result.loss, result.lower_is_better};
  }

 private:
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

  std::unique_ptr<ScoredInputs> inputs_;  // whose inputs those that are encoded borrow
  std::unique_ptr<PredictionTask> task_;
  std::vector<std::unique_ptr<EncodedInput>> encoded_;
};

// Images or sounds, which are read each time.
class AskedFiles : public Validation {
 public:
  AskedFiles(std::unique_ptr<ScoredInputs> inputs, std::vector<Example> examples)
      : inputs_(std::move(inputs)), examples_(std::move(examples)) {}

  ValidationResult validate(const Training& training, const std::function<void()>& alive) const final {
    const std::size_t most = most_at_once(training);
    std::vector<Prediction> answers;
    for (std::size_t begin = 0; begin < examples_.size(); begin += most) {
      const auto block = std::span(examples_).subspan(begin, std::min(most, examples_.size() - begin));
      for (Prediction& answer : answers_to(training, block)) answers.push_back(std::move(answer));
      alive();
    }
    AnswerScores result = inputs_->score(answers, alive);
    return {std::move(result.scores), result.loss, result.lower_is_better};
  }

 protected:
  const std::vector<std::string>& labels() const { return inputs_->labels(); }

 private:
  virtual std::size_t most_at_once(const Training& training) const = 0;
  virtual std::vector<Prediction> answers_to(const Training& training, std::span<const Example> examples) const = 0;

  std::unique_ptr<ScoredInputs> inputs_;
  std::vector<Example> examples_;
};

RowOutputs run_batch(const Training& training, const Batch& batch) {
  RowOutputs outputs(static_cast<std::size_t>(batch.batch_size), ErrorKind::kDiverged);
  outputs.add(forward(training, padded_batch(training, batch)), batch);
  return outputs;
}

class AskedImages final : public AskedFiles {
 public:
  using AskedFiles::AskedFiles;

 private:
  std::size_t most_at_once(const Training& training) const override {
    return static_cast<std::size_t>(training.request.batch_size);
  }
  std::vector<Prediction> answers_to(const Training& training, std::span<const Example> examples) const override {
    const Batch batch = filled_batch(examples.size(), training.config, [&](std::size_t i, std::span<float> values) {
      read_pixels(examples[i], *training.processor, values);
    });
    const RowOutputs outputs = run_batch(training, batch);
    const TaskType& type = task_type(training.request.task);
    std::vector<Prediction> answers;
    for (const RowOutput& row : outputs.rows()) {
      answers.push_back(type.answer_of_output(row.values, labels(), std::nullopt));
    }
    return answers;
  }
};

class AskedSounds final : public AskedFiles {
 public:
  using AskedFiles::AskedFiles;

 private:
  std::size_t most_at_once(const Training& training) const override {
    return sounds_per_batch(training.config, *training.extractor, training.request.batch_size);
  }
  std::vector<Prediction> answers_to(const Training& training, std::span<const Example> examples) const override {
    const FeatureExtractorOptions& extractor = *training.extractor;
    std::vector<std::vector<float>> sounds;
    for (const Example& example : examples) sounds.push_back(read_sound(example, extractor, *training.config.waves));
    Batch batch = sound_batch(sounds, *training.config.waves, sound_padding(extractor));
    batch.example_index = successive_examples(0, batch.batch_size);
    const RowOutputs outputs = run_batch(training, batch);
    return answers_of_sounds(training.request.task, outputs.rows(), row_lengths(batch),
                             training.ctc_vocabulary ? &*training.ctc_vocabulary : nullptr, labels());
  }
};

// Each image with all captions, and the reverse; [captions, images] in blocks.
class Pairs final : public Validation {
 public:
  // Throws Error(kBadInput) for one image, of which every model finds all captions.
  Pairs(LabelledRows rows, std::vector<std::size_t> images) : rows_(std::move(rows)), images_(std::move(images)) {
    for (std::size_t row = 0; row < images_.size(); ++row) {
      if (images_[row] == captions_.size()) captions_.emplace_back();
      captions_.at(images_[row]).push_back(row);
    }
    if (captions_.size() > 1) return;
    throw Error(ErrorKind::kBadInput,
                "the evaluation data have a single image: recall needs at least two to choose from");
  }

  ValidationResult validate(const Training& training, const std::function<void()>& alive) const override {
    const Vectors vectors = run(training, alive);
    std::vector<std::int64_t> firsts;
    for (const std::vector<std::size_t>& rows : captions_) firsts.push_back(static_cast<std::int64_t>(rows.front()));
    const at::Tensor images = vectors.images.index_select(0, at::tensor(firsts, at::kLong));
    RetrievalRecall of_captions("image_to_text", "images", "images");
    RetrievalRecall of_images("text_to_image", "captions", "images");
    compare(images, vectors.captions, alive, [&](std::size_t image, std::span<const float> similarities) {
      of_captions.add(similarities, captions_[image], image);
    });
    compare(vectors.captions, images, alive, [&](std::size_t caption, std::span<const float> similarities) {
      of_images.add(similarities, std::span(images_).subspan(caption, 1), images_[caption]);
    });
    ValidationResult result{of_captions.scores(), vectors.loss, false};
    for (Score& score : of_images.scores()) result.scores.push_back(std::move(score));
    return result;
  }

 private:
  /// Of all rows, on the host in fp32, [rows, C] each.
  struct Vectors {
    at::Tensor images, captions;
    double loss;  // of the pairs that stand in a batch with others: at least two do
  };

  Vectors run(const Training& training, const std::function<void()>& alive) const {
    LoaderOptions options = loader_options(training);
    options.shuffled = options.bucketed = false;  // rows stand in the order of `images_`
    options.least_rows = 1;
    BatchLoader loader(*rows_.rows, options);
    const MicroBatchOptions layout = micro_batch_options(training);
    const Blueprint blueprint = draw_blueprint(training.config, training.request.task);
    const PairTerms terms = pair_terms(blueprint.text_tower.value().logits, training.weights.parameters);
    const at::NoGradGuard guard;
    std::vector<at::Tensor> images, captions;
    double loss = 0;
    std::int64_t compared = 0;  // with others
    for (bool is_last = false; !is_last; alive()) {
      const TrainingBatch batch = loader.next();
      is_last = batch.ends_epoch;
      const MicroBatch both = make_micro_batch(batch, layout);
      MicroBatch of_images, of_captions = both;
      of_images.inputs.pixel_values = std::exchange(of_captions.inputs.pixel_values, at::Tensor());
      const at::Tensor image = forward(training, of_images), caption = forward(training, of_captions);
      if (batch.inputs.batch_size > 1) {
        const at::Tensor logits = pair_logits(caption, image, terms);
        loss += loss_sum(LossKind::kPairs, logits, both.labels).item<double>();
        compared += batch.inputs.batch_size;
      }
      images.push_back(image.to(at::kCPU, at::kFloat));
      captions.push_back(caption.to(at::kCPU, at::kFloat));
    }
    if (!std::isfinite(loss)) throw Error(ErrorKind::kDiverged, fmt::format("{}{}", kDivergedLoss, loss));
    return {at::cat(images), at::cat(captions), loss / static_cast<double>(compared)};
  }

  /// Calls `look` with each query's similarities to all candidates.
  static void compare(const at::Tensor& queries, const at::Tensor& candidates, const std::function<void()>& alive,
                      const std::function<void(std::size_t query, std::span<const float> similarities)>& look) {
    const auto count = static_cast<std::size_t>(candidates.size(0));
    for (std::int64_t begin = 0; begin < queries.size(0); begin += static_cast<std::int64_t>(kBlock)) {
      const at::Tensor block = queries.slice(0, begin, begin + static_cast<std::int64_t>(kBlock));
      const at::Tensor similarities = at::matmul(block, candidates.t()).contiguous();
      const float* values = similarities.const_data_ptr<float>();
      for (std::int64_t row = 0; row < similarities.size(0); ++row, values += count) {
        look(static_cast<std::size_t>(begin + row), {values, count});
      }
      alive();
    }
  }

  LabelledRows rows_;
  std::vector<std::size_t> images_;                 // of each row
  std::vector<std::vector<std::size_t>> captions_;  // of each image its rows
};

class Tokens final : public Validation {
 public:
  explicit Tokens(LabelledRows rows) : rows_(std::move(rows)) {}

  ValidationResult validate(const Training& training, const std::function<void()>& alive) const override {
    LoaderOptions options = loader_options(training);
    options.shuffled = false;
    options.threads = 0;
    BatchLoader loader(*rows_.rows, options);
    const MicroBatchOptions layout = micro_batch_options(training);
    double loss = 0;
    std::int64_t labels = 0;
    for (bool is_last = false; !is_last; alive()) {
      const TrainingBatch batch = loader.next();
      is_last = batch.ends_epoch;
      const MicroBatch micro_batch = make_micro_batch(batch, layout);
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

std::unique_ptr<Validation> make_validation(const Training& training, std::unique_ptr<ScoredInputs> inputs) {
  return std::make_unique<Asked>(training, std::move(inputs));
}
std::unique_ptr<Validation> make_image_validation(std::unique_ptr<ScoredInputs> inputs, std::vector<Example> examples) {
  return std::make_unique<AskedImages>(std::move(inputs), std::move(examples));
}
std::unique_ptr<Validation> make_sound_validation(std::unique_ptr<ScoredInputs> inputs, std::vector<Example> examples) {
  return std::make_unique<AskedSounds>(std::move(inputs), std::move(examples));
}
std::unique_ptr<Validation> make_retrieval_validation(LabelledRows rows, std::vector<std::size_t> images) {
  return std::make_unique<Pairs>(std::move(rows), std::move(images));
}
std::unique_ptr<Validation> make_token_validation(LabelledRows rows) {
  return std::make_unique<Tokens>(std::move(rows));
}

}  // namespace transformeter
