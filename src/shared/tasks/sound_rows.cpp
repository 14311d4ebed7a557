// Sounds are decoded on demand, so that a data set need not fit into memory.
#include "tasks/sound_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "datasets/file_texts.h"
#include "datasets/sound_batch.h"
#include "datasets/sound_data.h"
#include "tasks/sound_inputs.h"
#include "tasks/training_tasks.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

/// The samples of an example, and its labels.
using MakeSound = std::function<TrainingRow(std::size_t example)>;

class SoundRows final : public TrainingRows {
 public:
  SoundRows(std::size_t count, LabelKind kind, const SoundReading& sounds, MakeSound make)
      : count_(count),
        kind_(kind),
        sound_{*sounds.config.waves, sound_padding(sounds.options)},
        make_(std::move(make)) {}

  std::size_t size() const override { return count_; }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(count_); }
  LabelKind label_kind() const override { return kind_; }
  std::optional<SoundRow> sound() const override { return sound_; }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override { return {make_(example)}; }

 private:
  std::size_t count_;
  LabelKind kind_;
  SoundRow sound_;
  MakeSound make_;
};

using Examples = std::shared_ptr<const std::vector<Example>>;

Examples taken_examples(DataSet& data, const TrainingRowsOptions& options) {
  auto drawn = std::make_shared<std::vector<Example>>();
  for (const std::size_t i : drawn_examples(data.examples.size(), options)) {
    drawn->push_back(std::move(data.examples[i]));
  }
  return drawn;
}

// A blank that is spelled out says nothing, as in Transformers 5.23.
std::vector<std::int64_t> tokens_said(const Example& example, const CtcVocabulary& vocabulary, std::int64_t classes,
                                      std::int64_t blank) {
  const std::string where = fmt::format("{}: transcript '{}'", example.text, excerpt(*example.transcript));
  std::vector<std::int64_t> tokens;
  try {
    tokens = vocabulary.ids_of(*example.transcript);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", where, error.what()));
  }
  std::erase(tokens, blank);
  for (const std::int64_t token : tokens) {
    if (token < classes) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: a token of it is {}, but config.json has a vocab_size of {}", where, token, classes));
  }
  return tokens;
}

void check_fits(const Example& example, const std::vector<std::int64_t>& tokens, std::int64_t frames) {
  const std::int64_t needed = fewest_frames(tokens);
  if (needed <= frames) return;
  throw Error(
      ErrorKind::kBadInput,
      fmt::format("{}: the transcript '{}' needs {} frames, but the sound has {}, so that its loss is infinite; "
                  "leave the sound out, or set ctc_zero_infinity in the model's config.json to true",
                  example.text, excerpt(*example.transcript), needed, frames));
}

// Of the classes beside the blank.
std::vector<std::int64_t> draw_tokens(RandomStream random, std::int64_t count, std::int64_t classes,
                                      std::int64_t blank) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto token = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(classes - 1)));
    tokens.push_back(token < blank ? token : token + 1);
  }
  return tokens;
}

}  // namespace

DataSet load_sound_classes(const std::string& path, const DataOptions& data, const ModelConfig* trained) {
  DataSet all = load_sound_data(path, Task::kAudioClassification, data);
  return trained == nullptr ? all : with_classes_of(std::move(all), *trained, path);
}

DataSet load_transcripts(const std::string& path, const DataOptions& data) {
  DataSet all = load_sound_data(path, Task::kSpeechRecognition, data);
  check_has_texts(all, kTranscripts, path);
  return all;
}

LabelledRows sound_class_rows(DataSet data, const std::string& where, const SoundReading& sounds,
                              const TrainingRowsOptions& options) {
  check_training_task(options);
  check_labelled(data, where, "training");
  const Examples examples = taken_examples(data, options);
  LabelledRows labelled;
  labelled.rows = std::make_unique<SoundRows>(
      examples->size(), LabelKind::kRow, sounds,
      [examples, extractor = sounds.options, waves = *sounds.config.waves](std::size_t example) {
        const Example& one = examples->at(example);
        TrainingRow row;
        row.samples = read_sound(one, extractor, waves);
        row.labels = {*one.label};
        return row;
      });
  labelled.class_count = data.label_count;
  labelled.class_names = std::move(data.label_names);
  return labelled;
}

LabelledRows transcript_rows(DataSet data, const SoundReading& sounds, const TrainingRowsOptions& options) {
  check_training_task(options);
  const Examples examples = taken_examples(data, options);
  const CtcSpec ctc = model_ctc(sounds.config);
  LabelledRows labelled;
  labelled.rows =
      std::make_unique<SoundRows>(examples->size(), LabelKind::kTranscript, sounds,
                                  [examples, ctc, vocabulary = *sounds.vocabulary, classes = sounds.config.vocab_size,
                                   extractor = sounds.options, waves = *sounds.config.waves](std::size_t example) {
                                    const Example& one = examples->at(example);
                                    TrainingRow row;
                                    row.labels = tokens_said(one, vocabulary, classes, ctc.blank);
                                    row.samples = read_sound(one, extractor, waves);
                                    const auto samples = static_cast<std::int64_t>(row.samples.size());
                                    if (!ctc.zeroes_infinity) check_fits(one, row.labels, waves.frames(samples));
                                    return row;
                                  });
  return labelled;
}

std::int64_t fewest_frames(const std::vector<std::int64_t>& tokens) {
  auto frames = static_cast<std::int64_t>(tokens.size());
  for (std::size_t i = 1; i < tokens.size(); ++i) frames += tokens[i] == tokens[i - 1] ? 1 : 0;
  return frames;
}

std::int64_t drawn_tokens(std::int64_t frames) {
  constexpr std::int64_t kFramesPerToken = 4;
  return std::max<std::int64_t>(frames / kFramesPerToken, 1);
}

std::unique_ptr<TrainingRows> synthetic_sound_rows(std::size_t count, std::int64_t samples, const SoundReading& sounds,
                                                   const TrainingRowsOptions& options) {
  check_training_task(options);
  const bool is_recognition = options.task == Task::kSpeechRecognition;
  const std::int64_t classes = is_recognition ? sounds.config.vocab_size : sounds.config.num_labels;
  const std::int64_t least = is_recognition ? 2 : 1;  // one is the blank
  if (classes < least) throw bad_value("number of classes", std::to_string(classes), fmt::format("at least {}", least));
  if (count < 1) throw bad_value("number of synthetic rows", std::to_string(count), "at least 1");
  const auto size = static_cast<std::size_t>(samples);
  const std::size_t drawn = kept_inputs(count, size);
  auto values = std::make_shared<std::vector<float>>(drawn * size);
  for (std::size_t i = 0; i < drawn; ++i) draw_sound(options.seed, i, std::span(*values).subspan(i * size, size));
  const std::int64_t tokens = drawn_tokens(sounds.config.waves->frames(samples));
  const std::int64_t blank = is_recognition ? model_ctc(sounds.config).blank : 0;
  return std::make_unique<SoundRows>(
      count, is_recognition ? LabelKind::kTranscript : LabelKind::kRow, sounds,
      [is_recognition, classes, tokens, blank, seed = options.seed, values, drawn, size](std::size_t example) {
        const auto sound = std::span(*values).subspan(example % drawn * size, size);
        TrainingRow row;
        row.samples.assign(sound.begin(), sound.end());
        RandomStream random = label_stream(seed, example);
        row.labels = is_recognition
                         ? draw_tokens(random, tokens, classes, blank)
                         : std::vector{static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(classes)))};
        return row;
      });
}

}  // namespace transformeter
