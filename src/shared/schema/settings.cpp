// The table of settings.
#include "schema/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "schema/beam_settings.h"
#include "schema/scenario.h"
#include "schema/task.h"

namespace transformeter {
namespace {

using enum SettingGroup;
using enum SettingKind;

// Text put together while compiling; too long a text does not compile.
class FixedText {
 public:
  constexpr FixedText& add(std::string_view text) {
    for (const char letter : text) characters_.at(size_++) = letter;
    return *this;
  }
  constexpr std::string_view view() const { return {characters_.data(), size_}; }

 private:
  std::array<char, 512> characters_{};
  std::size_t size_ = 0;
};

constexpr FixedText kTaskWords = [] {
  FixedText words;
  words.add("auto");
  for (const TaskName& known : kTaskNames) words.add(",").add(known.name);
  return words;
}();

// "scenario train", or "scenarios batch and train": those of a run.
template <ScenarioSet::Predicate kHolds>
constexpr FixedText scenarios_with() {
  std::size_t count = 0;
  for (const ScenarioName& known : kScenarioNames) count += !known.help.empty() && kHolds(known) ? 1 : 0;
  FixedText text;
  text.add(count == 1 ? "scenario " : "scenarios ");
  std::size_t place = 0;
  for (const ScenarioName& known : kScenarioNames) {
    if (known.help.empty() || !kHolds(known)) continue;
    if (place > 0) text.add(place + 1 == count ? " and " : ", ");
    text.add(known.name);
    ++place;
  }
  return text;
}

constexpr FixedText kScenarioWords = [] {
  FixedText words;
  for (const ScenarioName& known : kScenarioNames) {
    if (!known.help.empty()) words.add(words.view().empty() ? "" : ",").add(known.name);
  }
  return words;
}();
constexpr FixedText kScenarioHelp = [] {
  FixedText help;
  for (const ScenarioName& known : kScenarioNames) {
    if (!known.help.empty()) help.add(help.view().empty() ? "" : "; ").add(known.name).add(": ").add(known.help);
  }
  return help;
}();

using Topic = SettingTopic;
constexpr bool kCommon = true;
constexpr bool kRare = false;
constexpr std::monostate kNoMember;

constexpr SettingCommands kOfRun{};
constexpr SettingCommands kOfPlans{.train = true};
constexpr SettingCommands kOfLearning{.train = true, .finetune = true, .profile = true};
constexpr SettingCommands kOfAnswers{.predict = true, .profile = true};
constexpr SettingCommands kOfAll{.train = true, .finetune = true, .predict = true, .profile = true};
constexpr SettingCommands kOfPasses{.profile = true};
constexpr SettingCommands kOfCases{.train = true, .profile = true};
constexpr SettingCommands kOfTexts{.train = true, .finetune = true, .profile = true};

template <ScenarioSet::Predicate kHolds>
constexpr FixedText kTextOf = scenarios_with<kHolds>();
template <ScenarioSet::Predicate kHolds>
constexpr ScenarioSet kScenariosOf{kHolds, kTextOf<kHolds>.view()};

constexpr bool has_requests(const ScenarioName& known) {
  return known.work == OfferedWork::kRequests;
}
constexpr bool has_batches(const ScenarioName& known) {
  return !has_requests(known);
}
// Others are what a command asks of a worker: no user names them, so that help texts leave them out.
constexpr bool is_listed(const ScenarioName& known) {
  return !known.help.empty();
}
constexpr bool has_forward_passes(const ScenarioName& known) {
  return known.work == OfferedWork::kForwardPasses;
}
constexpr bool has_steps(const ScenarioName& known) {
  return known.work == OfferedWork::kSteps;
}
constexpr bool has_rows(const ScenarioName& known) {
  return known.has_fixed_rows;
}
constexpr bool has_forward_rows(const ScenarioName& known) {
  return has_rows(known) && has_forward_passes(known);
}

bool takes_steps(const Case& one) {
  return work_of(one.scenario) == OfferedWork::kSteps;
}

bool reads_texts_alone(const Case& one) {
  return modality_of(one.task) == Modality::kText;
}
bool reads_texts(const Case& one) {
  return reads_texts(one.task);
}
constexpr std::string_view kTexts = "a task that reads texts";

constexpr SettingUse kAlways;
constexpr SettingUse kDataFile{[](const Case& one) { return one.has_data_file(); }, {}, "a data file"};
// Forward passes alone make nothing of them where labels are numbers or lists.
bool uses_class_list(const Case& one) {
  if (is_zero_shot(one.task)) return true;
  if (!one.has_data_file() || !has_named_classes(one.task)) return false;
  return !has_label_lists(one.task) || !one.is_forward();
}
constexpr SettingUse kClassLists{
    uses_class_list, {}, "a data file with classes that are learnt or scored, or task zero_shot_image_classification"};
constexpr SettingUse kBatches{[](const Case& one) { return work_of(one.scenario) != OfferedWork::kRequests; },
                              kScenariosOf<has_batches>};
// What a trial chooses may differ from process to process; a fine-tuning that is taken up again goes on bit for bit.
bool chooses_products(const Case& one) {
  return !one.is_finetune();
}
constexpr SettingUse kPaddedBatches{
    [](const Case& one) { return work_of(one.scenario) != OfferedWork::kRequests && reads_texts_alone(one); },
    kScenariosOf<has_batches>, "a task that reads texts alone"};
constexpr SettingUse kChosenProducts{chooses_products, kScenariosOf<is_listed>};
bool takes_row_length(const Case& one) {
  if (!reads_texts(one)) return false;
  return has_fixed_rows(one.scenario) || (one.is_forward() && !one.has_fixed_length());
}
// Texts of natural lengths are one choice among lengths.
constexpr ScenarioSet kWithLengths{
    [](const ScenarioName& known) { return has_rows(known) || has_forward_passes(known); }, kTextOf<has_rows>.view()};
constexpr SettingUse kRowLengths{takes_row_length, kWithLengths, kTexts};
// Lengths of synthetic texts are asked for.
bool cuts_texts(const Case& one) {
  const bool is_fixed = has_fixed_rows(one.scenario) && one.has_fixed_length();
  return work_of(one.scenario) != OfferedWork::kRequests && !is_fixed && one.data != kSyntheticData && reads_texts(one);
}
constexpr SettingUse kCutTexts{cuts_texts, kScenariosOf<has_batches>,
                               "sequence_length natural and texts that are not synthetic"};
constexpr SettingUse kForward{[](const Case& one) { return one.is_forward(); }, kScenariosOf<has_forward_passes>};
constexpr SettingUse kPaddedPasses{[](const Case& one) { return one.is_forward() && reads_texts(one); },
                                   kScenariosOf<has_forward_passes>, kTexts};
constexpr SettingUse kRequests{[](const Case& one) { return one.is_generate(); }, kScenariosOf<has_requests>};
constexpr SettingUse kSteps{takes_steps, kScenariosOf<has_steps>};
constexpr SettingUse kAdapters{[](const Case& one) { return takes_steps(one) && one.lora_rank.has_value(); },
                               kScenariosOf<has_steps>, "lora_rank N"};
constexpr SettingUse kTrainedReader{
    [](const Case& one) { return takes_steps(one) && one.task == Task::kQuestionAnswering; }, kScenariosOf<has_steps>,
    "task question_answering"};
constexpr SettingUse kFixedRows{
    [](const Case& one) { return one.is_forward() && one.has_fixed_length() && reads_texts(one); },
    kScenariosOf<has_forward_rows>, "a numeric sequence_length; natural lengths determine their own padding"};
constexpr SettingUse kSyntheticTexts{
    [](const Case& one) { return one.is_forward() && one.data == kSyntheticData && reads_texts(one); },
    kScenariosOf<has_forward_passes>, "data synthetic"};
constexpr SettingUse kSyntheticSounds{[](const Case& one) {
                                        return work_of(one.scenario) != OfferedWork::kRequests &&
                                               !one.has_data_file() && reads_audio(one.task);
                                      },
                                      kScenariosOf<has_batches>, "a task that reads sounds, without a data file"};
constexpr SettingUse kEmbeddings{[](const Case& one) { return one.task == Task::kEmbedding; }, {}, "task embedding"};
constexpr SettingUse kZeroShot{
    [](const Case& one) { return is_zero_shot(one.task); }, {}, "task zero_shot_image_classification"};
bool has_cycles(const Case& one) {
  return one.is_forward() && (!has_fixed_rows(one.scenario) || !one.has_one_batch());
}
constexpr SettingUse kCycles{has_cycles, kScenariosOf<has_forward_passes>,
                             "a row for each text (sequence_length natural or length_distribution), or with images or "
                             "sounds of a data set"};
constexpr SettingUse kBuckets{[](const Case& one) { return one.is_forward() && one.batching == "bucketed"; },
                              kScenariosOf<has_forward_passes>, "batching bucketed"};
constexpr SettingUse kSearched{[](const Case& one) { return one.engine == "auto"; }, {}, "engine auto"};
constexpr SettingUse kCompiled{
    [](const Case& one) { return one.is_compiled(); }, {}, "a TorchScript, ONNX or OpenVINO file"};

// clang-format off
constexpr std::array kSettings{
    SettingTerm{"model", kWorkload, kText, true, "", 0, 0, "distilbert-base", "PRESET|DIR|FILE|NAME",
                Topic::kModel, kCommon, kOfAll, kAlways, &Case::model,
                "preset (random weights), folder, TorchScript, ONNX or OpenVINO file, or Hub model (org/name[@REV])"},
    SettingTerm{"task", kWorkload, kChoice, true, kTaskWords.view(), 0, 0, "auto", "TASK",
                Topic::kModel, kCommon, kOfAll, kAlways, &Case::task,
                "what to ask the model; auto: what its folder was saved for, or the usual task of such models"},
    SettingTerm{"scenario", kScenario, kChoice, true, kScenarioWords.view(), 0, 0, "batch", "SCENARIO",
                Topic::kWorkload, kCommon, kOfPasses, kAlways, &Case::scenario,
                kScenarioHelp.view()},
    SettingTerm{"data", kWorkload, kText, true, "", 0, 0, "bundled", "FILE|DIR|NAME|bundled|synthetic",
                Topic::kWorkload, kCommon, kOfTexts, kAlways, &Case::data,
                "file (CSV, JSON Lines, Parquet, SQuAD, ...), folder, org/name on the Hub, bundled or random inputs"},
    SettingTerm{"text_column", kWorkload, kText, false, "", 0, 0, "", "COLUMN",
                Topic::kWorkload, kRare, kOfAll, kDataFile, &Case::text_column,
                "column with the texts, or paths of images or sounds; default: text, sentence, ... or path, file, ..."},
    SettingTerm{"text_pair_column", kWorkload, kText, false, "", 0, 0, "", "COLUMN",
                Topic::kWorkload, kRare, kOfAll, kDataFile, &Case::text_pair_column,
                "column with second texts; default: that of a known pair, e.g. premise and hypothesis"},
    SettingTerm{"label_column", kWorkload, kText, false, "", 0, 0, "", "COLUMN",
                Topic::kWorkload, kRare, kOfAll, kDataFile, &Case::label_column,
                "column with labels, transcripts, captions or target texts; default: label, caption, ..."},
    SettingTerm{"labels", kWorkload, kText, false, "", 0, 0, "", "A,B,...|FILE",
                Topic::kWorkload, kRare, kOfAll, kClassLists, &Case::labels,
                "class names in order, or a file of them: a JSON list, or one per line; default: the sorted labels"},
    SettingTerm{"split", kWorkload, kText, false, "", 0, 0, "", "SPLIT",
                Topic::kWorkload, kRare, kOfAll, kDataFile, &Case::split,
                "split of a data file or folder that has several, e.g. validation"},
    SettingTerm{"batch_size", kWorkload, kCount, true, "", 1, 1048576, "1,8,32", "N",
                Topic::kWorkload, kCommon, kOfAll, kBatches, &Case::batch_size,
                "examples per batch"},
    SettingTerm{"sequence_length", kWorkload, kCount, true, "natural", 1, 1048576, "128,natural", "N|natural",
                Topic::kWorkload, kCommon, kOfTexts, kRowLengths, &Case::sequence_length,
                "tokens per row; natural: pad each batch to its longest text"},
    SettingTerm{"audio_seconds", kWorkload, kPositive, true, "", 0, 0, "5", "SECONDS",
                Topic::kWorkload, kRare, kOfCases, kSyntheticSounds, &Case::audio_seconds,
                "length of each synthetic sound, in seconds"},
    SettingTerm{"max_length", kWorkload, kCount, true, "", 1, 1048576, "", "N",
                Topic::kWorkload, kRare, kOfTexts, kCutTexts, &Case::max_length,
                "natural lengths: maximum tokens per text; default: what tokenizer and model can hold"},
    SettingTerm{"padding", kWorkload, kRatio, true, "", 0, 0, "", "RATIO",
                Topic::kWorkload, kRare, kOfPasses, kFixedRows, &Case::padding,
                "share of padding in fixed-length rows, exact to the token; default: none"},
    SettingTerm{"prompt_length", kWorkload, kCount, true, "", 3, 1048576, "128", "N",
                Topic::kGeneration, kCommon, kOfPasses, kRequests, &Case::prompt_length,
                "tokens per prompt"},
    SettingTerm{"new_tokens", kWorkload, kCount, true, "", 1, 1048576, "32", "N",
                Topic::kGeneration, kRare, kOfPasses, kRequests, &Case::new_tokens,
                "tokens to generate per prompt"},
    SettingTerm{"num_beams", kWorkload, kCount, true, "", 1, kMostBeams, "1", "N",
                Topic::kGeneration, kRare, kOfPasses, kRequests, &Case::num_beams,
                "beams per request; 1: greedy",
                SettingIdentity::kUnlessInitial},
    SettingTerm{"length_distribution", kWorkload, kText, true, "", 0, 0, "", "SPEC",
                Topic::kWorkload, kRare, kOfPasses, kSyntheticTexts, &Case::length_distribution,
                "synthetic: fixed:N, uniform:A:B, normal:M:SD:A:B, histogram:FILE; default if natural: uniform:8:128"},
    SettingTerm{"pooling", kWorkload, kChoice, true, "mean,cls,last,max,mean_sqrt_len,weightedmean", 0, 0, "", "POOLING",
                Topic::kModel, kRare, kOfAnswers, kEmbeddings, &Case::pooling,
                "how task embedding pools token vectors; default: as in the folder's modules.json, else mean"},
    SettingTerm{"prompt_template", kWorkload, kText, false, "", 0, 0, "a photo of a {}", "TEXT",
                Topic::kModel, kRare, kOfAnswers, kZeroShot, &Case::prompt_template,
                "zero-shot classification: the text for a class, in which {} stands for its name"},
    SettingTerm{"gradient_accumulation", kWorkload, kCount, true, "", 1, 65536, "1", "N",
                Topic::kTraining, kCommon, kOfLearning, kSteps, &Case::gradient_accumulation,
                "batches per optimizer step"},
    SettingTerm{"learning_rate", kWorkload, kPositive, true, "", 0, 0, "5e-5", "RATE",
                Topic::kTraining, kCommon, kOfLearning, kSteps, &Case::learning_rate,
                "learning rate, the same for every step"},
    SettingTerm{"weight_decay", kWorkload, kRatio, true, "", 0, 0, "0", "RATIO",
                Topic::kTraining, kRare, kOfLearning, kSteps, &Case::weight_decay,
                "weight decay of matrices and embedding tables"},
    SettingTerm{"max_gradient_norm", kWorkload, kPositive, true, "none", 0, 0, "1", "NORM|none",
                Topic::kTraining, kRare, kOfLearning, kSteps, &Case::max_gradient_norm,
                "clip the gradient to this norm"},
    SettingTerm{"label_smoothing", kWorkload, kRatio, true, "", 0, 0, "0", "RATIO",
                Topic::kTraining, kRare, kOfLearning, kSteps, &Case::label_smoothing,
                "share of each label that is spread over all classes"},
    SettingTerm{"dropout", kWorkload, kChoice, true, "config,off", 0, 0, "config", "config|off",
                Topic::kTraining, kRare, kOfLearning, kSteps, WordMember{&Case::has_dropout, "config"},
                "config: as in the model's configuration; off: none"},
    SettingTerm{"stride", kWorkload, kCount, false, "", 0, 1048576, "128", "N",
                Topic::kTraining, kRare, kOfLearning, kTrainedReader, &Case::stride,
                "question_answering: tokens shared by two windows of a long context"},
    SettingTerm{"inputs", kWorkload, kText, false, "", 0, 0, "", "SPEC",
                Topic::kModel, kRare, kOfAnswers, kCompiled, &Case::inputs,
                "inputs of a file: ids, mask, types, positions, NAME:TYPE[B,T,...]; default: by name or ids,mask"},
    SettingTerm{"limit", kWorkload, kCount, true, "all", 1, 1000000000, "all", "N|all",
                Topic::kWorkload, kRare, kOfTexts, kAlways, &Case::limit,
                "examples to draw from the data set (seeded)"},
    SettingTerm{"seed", kWorkload, kCount, false, "", 0, 9223372036854775807, "0", "N",
                Topic::kWorkload, kRare, kOfAll, kAlways, &Case::seed,
                "seed of random weights, draws and order"},
    SettingTerm{"engine", kEngine, kChoice, true, "pytorch,fast,auto,openvino,onnxruntime", 0, 0, "pytorch", "ENGINE",
                Topic::kEngine, kCommon, kOfCases, kAlways, &Case::engine,
                "pytorch: as in Python; fast: ours; auto: tuned by trials; openvino, onnxruntime: those libraries"},
    SettingTerm{"precision", kEngine, kChoice, true, "auto,fp32,tf32,bf16,bf16_autocast,fp16,int8,int8_static,int8_weight_only",
                0, 0, "auto", "FORMAT",
                Topic::kEngine, kCommon, kOfAll, kAlways, &Case::precision,
                "number format of weights and activations; auto: fp32, plus bf16 if device and engine support it"},
    SettingTerm{"optimizer", kEngine, kChoice, true, "adamw,adam,sgd,adafactor", 0, 0, "adamw", "OPTIMIZER",
                Topic::kTraining, kCommon, kOfLearning, kSteps, &Case::optimizer,
                "optimizer; sgd has momentum 0.9"},
    SettingTerm{"gradient_checkpointing", kEngine, kChoice, true, "on,off", 0, 0, "off", "on|off",
                Topic::kTraining, kRare, kOfLearning, kSteps, WordMember{&Case::gradient_checkpointing, "on"},
                "recompute layers in the backward pass instead of storing their activations"},
    SettingTerm{"lora_rank", kEngine, kCount, true, "off", 1, 65536, "off", "N|off",
                Topic::kTraining, kCommon, kOfLearning, kSteps, &Case::lora_rank,
                "train LoRA adapters of this rank and the task's head instead of all weights",
                SettingIdentity::kUnlessInitial},
    SettingTerm{"lora_alpha", kEngine, kPositive, true, "", 0, 0, "8", "ALPHA",
                Topic::kTraining, kRare, kOfLearning, kAdapters, &Case::lora_alpha,
                "what LoRA adapters add is scaled by alpha / rank",
                SettingIdentity::kUnlessInitial},
    SettingTerm{"lora_targets", kEngine, kText, false, "", 0, 0, "", "A,B,...|all-linear",
                Topic::kTraining, kRare, kOfLearning, kAdapters, &Case::lora_targets,
                "modules that get a LoRA adapter; default: query and value of each attention",
                SettingIdentity::kUnlessInitial},
    SettingTerm{"deterministic", kEngine, kChoice, true, "on,off", 0, 0, "off", "on|off",
                Topic::kTraining, kRare, kOfLearning, kSteps, WordMember{&Case::deterministic, "on"},
                "use only bitwise reproducible kernels, and fail where there is none"},
    SettingTerm{"loader_threads", kEngine, kCount, true, "", 0, 1024, "1", "N",
                Topic::kTraining, kRare, kOfLearning, kSteps, &Case::loader_threads,
                "threads that prepare batches ahead; 0: each step waits for its data"},
    SettingTerm{"attention", kEngine, kChoice, true, "auto,sdpa,eager,math,flash,tiled,trial,memory_efficient,cudnn,flash_varlen",
                0, 0, "auto", "KERNEL",
                Topic::kEngine, kRare, kOfAll, kAlways, &Case::attention,
                "attention kernel; sdpa: LibTorch chooses; tiled: ours; trial: the faster here; auto: by engine"},
    SettingTerm{"weights", kEngine, kChoice, true, "auto,plain,prepacked", 0, 0, "auto", "LAYOUT",
                Topic::kEngine, kRare, kOfPasses, kAlways, WordMember{&Case::prepacked, "prepacked"},
                "weight layout; prepacked: reordered once for the kernels; auto: by engine"},
    SettingTerm{"fusion", kEngine, kChoice, true, "auto,none,fused", 0, 0, "auto", "FUSION",
                Topic::kEngine, kRare, kOfPasses, kAlways, WordMember{&Case::fused, "fused"},
                "fused: one matmul for query, key and value; bias, activation and residual fused in; auto: by engine"},
    SettingTerm{"head_tokens", kEngine, kChoice, true, "auto,all,needed", 0, 0, "auto", "TOKENS",
                Topic::kEngine, kRare, kOfCases, kAlways, WordMember{&Case::needed_tokens, "needed"},
                "tokens the last layer computes; needed: only those the task's output depends on; auto: by engine"},
    SettingTerm{"batching", kEngine, kChoice, true, "auto,padded,bucketed,packed", 0, 0, "auto", "BATCHING",
                Topic::kEngine, kRare, kOfTexts, kPaddedBatches, &Case::batching,
                "bucketed: batches of similar lengths; packed: rows without padding; auto: by engine"},
    SettingTerm{"bucket_window", kEngine, kCount, true, "all", 1, 1000000000, "", "N|all",
                Topic::kEngine, kRare, kOfCases, kBuckets, &Case::bucket_window,
                "examples that bucketed batching sorts by length at a time; default: all"},
    SettingTerm{"streams", kEngine, kCount, true, "auto,threads", 1, 4096, "auto", "N|threads|auto",
                Topic::kEngine, kRare, kOfPasses, kForward, &Case::streams,
                "chunks of a batch computed in parallel, sharing the threads; threads: one each; auto: by engine"},
    SettingTerm{"chunk_tokens", kEngine, kCount, true, "auto,none", 1, 1048576, "auto", "N|none|auto",
                Topic::kEngine, kRare, kOfPasses, kForward, &Case::chunk_tokens,
                "maximum tokens per chunk of a batch; none: no limit; auto: by engine"},
    SettingTerm{"one_dnn", kEngine, kChoice, true, "on,off", 0, 0, "on", "on|off",
                Topic::kEngine, kRare, kOfCases, kAlways, WordMember{&Case::one_dnn, "on"},
                "CPU: let LibTorch use oneDNN's kernels; off: only its own and those of its BLAS library",
                SettingIdentity::kUnlessInitial},
    SettingTerm{"products", kEngine, kChoice, true, "auto,trial,onednn,mkl", 0, 0, "auto", "KERNEL",
                Topic::kEngine, kRare, kOfCases, kChosenProducts, &Case::products,
                "kernel of fp32 and bf16 products; auto: the fastest, by a kept or new trial; trial: again",
                SettingIdentity::kUnlessInitial},
    SettingTerm{"attention_mask", kEngine, kChoice, true, "on,off", 0, 0, "on", "on|off",
                Topic::kEngine, kRare, kOfPasses, kPaddedPasses, WordMember{&Case::attention_mask, "on"},
                "mask out padding; off: every token attends to padding too"},
    SettingTerm{"graphs", kEngine, kChoice, true, "on,off", 0, 0, "off", "on|off",
                Topic::kEngine, kRare, kOfRun, kAlways, WordMember{&Case::graphs, "on"},
                "run each forward pass as a CUDA graph, checked against the plain pass"},
    SettingTerm{"threads", kLaunch, kCount, true, "auto", 1, 4096, "auto", "N|auto",
                Topic::kLaunch, kCommon, kOfAll, kAlways, &Case::threads,
                "the worker's threads; auto: the physical cores it may use"},
    SettingTerm{"interop_threads", kLaunch, kCount, true, "auto", 1, 4096, "auto", "N|auto",
                Topic::kLaunch, kRare, kOfCases, kAlways, &Case::interop_threads,
                "threads between operators, e.g. for TorchScript's fork; auto: LibTorch's default"},
    SettingTerm{"allocator", kLaunch, kChoice, true, "auto,glibc,glibc_raised,jemalloc,mimalloc",
                0, 0, "auto", "ALLOCATOR",
                Topic::kLaunch, kRare, kOfCases, kAlways, &Case::allocator,
                "the worker's malloc; all but glibc keep freed memory; auto: by engine"},
    SettingTerm{"huge_pages", kLaunch, kChoice, true, "auto,system,off,transparent,preferred", 0, 0, "auto", "PAGES",
                Topic::kLaunch, kRare, kOfCases, kAlways, &Case::huge_pages,
                "2 MiB pages; transparent: ask for them; preferred: ask where allowed; auto: by engine"},
    SettingTerm{"pinning", kLaunch, kChoice, true, "none,cores,threads", 0, 0, "none", "PINNING",
                Topic::kLaunch, kRare, kOfCases, kAlways, &Case::pinning,
                "cores: keep the worker on as many cores as it has threads; threads: also one core per thread"},
    SettingTerm{"numa", kLaunch, kCount, true, "none,interleave", 0, 1023, "none", "NODE|none|interleave",
                Topic::kLaunch, kRare, kOfCases, kAlways, &Case::numa,
                "use the cores and memory of one NUMA node; interleave: memory of all nodes in turn"},
    SettingTerm{"memory_limit", kLaunch, kBytes, true, "auto", 1, 0, "auto", "BYTES|auto",
                Topic::kLaunch, kRare, kOfAll, kAlways, &Case::memory_limit,
                "maximum memory of the worker; auto: available memory minus 1 GiB"},
    SettingTerm{"transfers", kScenario, kChoice, true, "on,off", 0, 0, "off", "on|off",
                Topic::kEngine, kRare, kOfRun, kAlways, WordMember{&Case::transfers, "on"},
                "GPU: copy inputs and outputs within each sample, timed as separate phases"},
    SettingTerm{"device", kDevice, kPlace, true, "auto,cpu,cuda,rocm,mps", 0, 0, "auto", "DEVICE",
                Topic::kEngine, kCommon, kOfAll, kAlways, &Case::device,
                "where to run the model, e.g. cpu, cuda, cuda:1; auto: the best device the worker supports"},
    SettingTerm{"warmup", kScenario, kCount, false, "auto", 0, 1000000000, "auto", "N|auto",
                Topic::kMeasuring, kRare, kOfCases, kAlways, &Case::warmup,
                "batches, requests or steps before measuring; auto: until times are steady"},
    SettingTerm{"samples", kScenario, kCount, false, "auto", 1, 1000000000, "auto", "N|auto",
                Topic::kMeasuring, kRare, kOfPlans, kAlways, &Case::samples,
                "batches, requests, steps or passes to measure; auto: until the interval is narrow enough"},
    SettingTerm{"cycles", kScenario, kCount, false, "", 1, 1000000000, "", "N",
                Topic::kMeasuring, kRare, kOfRun, kCycles, &Case::cycles,
                "passes over all inputs to measure, in place of samples: the same inputs for every batch size",
                SettingIdentity::kUnlessInitial},
    SettingTerm{"arm", kScenario, kText, true, "", 0, 0, "", "NAME",
                Topic::kMeasuring, kRare, kOfPlans, kAlways, &Case::arm,
                "measure each case once per name, e.g. a,b with --baseline arm=a: how far apart are equal cases?",
                SettingIdentity::kWithinRun},
    SettingTerm{"price_per_hour", kScenario, kPositive, false, "", 0, 0, "", "USD",
                Topic::kTraining, kRare, kOfPlans, kSteps, &Case::price_per_hour,
                "price of the machine in US dollars per hour, for cost_per_step; default: unknown",
                SettingIdentity::kNever},
    SettingTerm{"replicates", kRun, kCount, false, "", 1, 1000, "1", "N",
                Topic::kMeasuring, kCommon, kOfPlans, kAlways, kNoMember,
                "fresh worker processes per case; 3 or more show what differs between processes"},
    SettingTerm{"slices", kRun, kCount, false, "", 1, 1000, "8", "N",
                Topic::kMeasuring, kRare, kOfPlans, kAlways, kNoMember,
                "minimum number of short measurements per process, spread over the run; 1: one window"},
    SettingTerm{"baseline", kRun, kBaseline, false, "", 0, 0, "", "SETTING=VALUE,...",
                Topic::kMeasuring, kCommon, kOfPlans, kAlways, kNoMember,
                "baseline for speed-up and memory saved, e.g. attention=eager; implies 3 replicates"},
    SettingTerm{"time_limit", kRun, kDuration, false, "auto", 0, 0, "auto", "TIME|auto",
                Topic::kMeasuring, kRare, kOfPlans, kAlways, kNoMember,
                "maximum measuring time per replicate; auto: 30 s, in one window at least 10 samples"},
    SettingTerm{"time_budget", kRun, kDuration, false, "none", 0, 0, "none", "TIME|none",
                Topic::kMeasuring, kCommon, kOfPlans, kAlways, kNoMember,
                "maximum time for measuring, references and warm-up included; cheapest cases first"},
    SettingTerm{"reference", kRun, kChoice, false, "on,off", 0, 0, "on", "on|off",
                Topic::kMeasuring, kRare, kOfRun, kAlways, kNoMember,
                "compare outputs with those of a cached reference (fp32, eager)"},
    SettingTerm{"objective", kRun, kChoice, false, "latency,memory", 0, 0, "latency", "OBJECTIVE",
                Topic::kEngine, kRare, kOfPlans, kSearched, kNoMember,
                "what engine auto chooses settings for: the shortest time, or the least memory"},
    SettingTerm{"divergence_limit", kRun, kPositive, false, "none", 0, 0, "none", "RATIO|none",
                Topic::kEngine, kRare, kOfRun, kSearched, kNoMember,
                "engine auto: how far outputs may diverge; with precision auto, also choose the precision"},
    SettingTerm{"trials", kRun, kChoice, false, "kept,again", 0, 0, "kept", "kept|again",
                Topic::kEngine, kRare, kOfPlans, kSearched, kNoMember,
                "engine auto: take the choice of an earlier run on this machine, or try again"},
    SettingTerm{"trial_time", kRun, kDuration, false, "auto", 0, 0, "auto", "TIME|auto",
                Topic::kEngine, kRare, kOfPlans, kSearched, kNoMember,
                "engine auto: time for the trials of a case; auto: 3 min; half the time budget in all at most"},
    SettingTerm{"worker_timeout", kRun, kDuration, false, "", 0, 0, "120s", "TIME",
                Topic::kMeasuring, kRare, kOfAll, kAlways, kNoMember,
                "end a worker that has been silent this long"},
    SettingTerm{"peaks", kRun, kChoice, false, "stored,measure,off", 0, 0, "stored", "stored|measure|off",
                Topic::kMeasuring, kRare, kOfCases, kAlways, kNoMember,
                "machine peaks for mfu and bandwidth_share; stored: read them; measure: also measure missing ones"},
    SettingTerm{"busy_gpu", kRun, kChoice, false, "warn,error", 0, 0, "warn", "warn|error",
                Topic::kMeasuring, kRare, kOfPlans, kAlways, kNoMember,
                "if other processes use a GPU of the plan: warn, or end with an error"},
    SettingTerm{"store", kRun, kText, false, "", 0, 0, "transformeter.db", "PATH",
                Topic::kOutput, kCommon, kOfCases, kAlways, kNoMember,
                "results database"},
    SettingTerm{"name", kRun, kText, false, "", 0, 0, "", "TEXT",
                Topic::kOutput, kCommon, kOfCases, kAlways, kNoMember,
                "name of the run, or of the profile"},
    SettingTerm{"worker", kRun, kText, false, "", 0, 0, "", "PATH",
                Topic::kLaunch, kRare, kOfAll, kAlways, kNoMember,
                "worker program; default: transformeter-worker beside this program"},
    SettingTerm{"strict", kRun, kFlag, false, "", 0, 0, "false", "",
                Topic::kOutput, kRare, kOfPlans, kAlways, kNoMember,
                "exit with 1 unless every case is ok"},
};
// clang-format on

}  // namespace

std::string_view name_of(SettingTopic topic) {
  switch (topic) {
    case Topic::kWorkload:
      return "workload";
    case Topic::kModel:
      return "model";
    case Topic::kEngine:
      return "engine";
    case Topic::kLaunch:
      return "launch";
    case Topic::kGeneration:
      return "generation";
    case Topic::kTraining:
      return "training";
    case Topic::kMeasuring:
      return "measuring";
    case Topic::kOutput:
      return "output";
  }
  throw Error(ErrorKind::kInternal, "a topic of settings has no name");
}

std::vector<std::string> setting_topics() {
  std::vector<std::string> names;
  for (const Topic topic : {Topic::kWorkload, Topic::kModel, Topic::kEngine, Topic::kLaunch, Topic::kGeneration,
                            Topic::kTraining, Topic::kMeasuring, Topic::kOutput}) {
    names.emplace_back(name_of(topic));
  }
  return names;
}

std::span<const SettingTerm> setting_terms() {
  return kSettings;
}

std::string use_text(const SettingUse& use) {
  const std::string_view scenarios = use.scenarios.text;
  if (scenarios.empty() || use.further.empty()) return fmt::format("{}{}", scenarios, use.further);
  return fmt::format("{} with {}", scenarios, use.further);
}

bool is_of_training(const SettingTerm& term) {
  return term.use.holds == kSteps.holds || term.use.holds == kAdapters.holds;
}

bool may_apply(const SettingTerm& term, Scenario scenario) {
  return term.use.scenarios.has(kScenarioNames.at(static_cast<std::size_t>(scenario)));
}

bool is_set_by_live(std::string_view setting) {
  return setting == kArm || setting == "baseline" || setting == "slices" || setting == "samples" ||
         setting == "cycles" || setting == "busy_gpu";
}

bool is_live(const Json& requested) {
  const Json arm = requested.is_object() ? requested.value(kArm, Json()) : Json();
  return arm == kArmBefore || arm == kArmAfter;
}

bool tells_cases_apart(std::string_view name) {
  return std::none_of(kSettings.begin(), kSettings.end(), [&](const SettingTerm& term) {
    return term.name == name && term.identity == SettingIdentity::kNever;
  });
}

std::vector<std::string> trained_precisions() {
  return {"auto", "fp32", "tf32", "bf16", "bf16_autocast", "fp16"};
}

const SettingTerm* find_setting(std::string_view name) {
  const auto* const found =
      std::find_if(kSettings.begin(), kSettings.end(), [&](const SettingTerm& term) { return term.name == name; });
  return found == kSettings.end() ? nullptr : found;
}

const SettingTerm& setting_term(std::string_view name) {
  if (const SettingTerm* term = find_setting(name)) return *term;
  std::vector<std::string> names;
  for (const SettingTerm& term : kSettings) names.emplace_back(term.name);
  throw unknown_value("setting", name, names);
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

bool is_generate(const Json& requested) {
  return scenario_of(requested) == Scenario::kGenerate;
}

bool is_forward(const Json& requested) {
  return work_of(scenario_of(requested)) == OfferedWork::kForwardPasses;
}

bool is_train(const Json& requested) {
  return scenario_of(requested) == Scenario::kTrain;
}

}  // namespace transformeter
