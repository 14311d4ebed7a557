// The table of settings and the parsing of one value.
#include "terms/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "terms/baseline.h"

namespace transformeter {
namespace {

using enum SettingGroup;
using enum SettingKind;

constexpr std::string_view kTasks =
    "auto,sequence_classification,token_classification,question_answering,masked_lm,causal_lm,embedding";

// clang-format off
constexpr std::array kSettings{
    SettingTerm{"model", kWorkload, kText, true, "", 0, 0, "distilbert-base", "PRESET|DIR|FILE|NAME",
                "preset with seeded random weights, a Hugging Face style folder, a TorchScript file, or a model on the "
                "hub: org/name, org/name@REVISION"},
    SettingTerm{"task", kWorkload, kChoice, true, kTasks, 0, 0, "sequence_classification", "TASK",
                "what the model is asked; auto: causal_lm of a causal model, else sequence_classification; default of scenario "
                "generate alone: causal_lm, of train alone: auto"},
    SettingTerm{"scenario", kScenario, kChoice, true, "batch,generate,train", 0, 0, "batch", "SCENARIO",
                "how work is offered: batches one after another, a causal model's text token by token, or steps of a "
                "training"},
    SettingTerm{"data", kWorkload, kText, true, "", 0, 0, "bundled", "FILE|bundled|synthetic",
                "data set: a file (CSV, TSV, JSON Lines, SQuAD, CoNLL, text), the bundled sentences, or random tokens"},
    SettingTerm{"text_column", kWorkload, kText, false, "", 0, 0, "", "COLUMN",
                "column of a table's texts; default: text, sentence, content, ..."},
    SettingTerm{"text_pair_column", kWorkload, kText, false, "", 0, 0, "", "COLUMN",
                "column of a table's second texts; default: those of known pairs, as premise and hypothesis"},
    SettingTerm{"label_column", kWorkload, kText, false, "", 0, 0, "", "COLUMN",
                "column of a table's labels; default: label, category, intent, ..."},
    SettingTerm{"labels", kWorkload, kText, false, "", 0, 0, "", "FILE",
                "the classes of a table in order: a JSON list, or one a line; default: the sorted labels"},
    SettingTerm{"split", kWorkload, kText, false, "", 0, 0, "", "SPLIT",
                "split of a data file that holds several, as val of CLINC150"},
    SettingTerm{"batch_size", kWorkload, kCount, true, "", 1, 1048576, "1,8,32", "N",
                "examples in a batch"},
    SettingTerm{"sequence_length", kWorkload, kCount, true, "natural", 1, 1048576, "128,natural", "N|natural",
                "tokens in a row; natural: each batch padded to its longest text"},
    SettingTerm{"padding", kWorkload, kRatio, true, "", 0, 0, "", "RATIO",
                "share of padding in rows of a fixed length, exact to a token; default: none"},
    SettingTerm{"prompt_length", kWorkload, kCount, true, "", 3, 1048576, "128", "N",
                "scenario generate: tokens of each prompt"},
    SettingTerm{"new_tokens", kWorkload, kCount, true, "", 1, 1048576, "32", "N",
                "scenario generate: tokens made after each prompt"},
    SettingTerm{"length_distribution", kWorkload, kText, true, "", 0, 0, "", "SPEC",
                "lengths of synthetic texts where sequence_length is natural: fixed:N, uniform:MIN:MAX, "
                "normal:MEAN:DEVIATION:MIN:MAX or histogram:FILE; default: uniform:8:128"},
    SettingTerm{"pooling", kWorkload, kChoice, true, "mean,cls,last", 0, 0, "", "POOLING",
                "how the task embedding makes one vector of a text; default: as the folder's modules.json says, else mean"},
    SettingTerm{"gradient_accumulation", kWorkload, kCount, true, "", 1, 65536, "1", "N",
                "scenario train: batches whose gradients make one step"},
    SettingTerm{"learning_rate", kWorkload, kPositive, true, "", 0, 0, "5e-5", "RATE",
                "scenario train: of every step"},
    SettingTerm{"weight_decay", kWorkload, kRatio, true, "", 0, 0, "0", "RATIO",
                "scenario train: of matrices and tables"},
    SettingTerm{"max_gradient_norm", kWorkload, kPositive, true, "none", 0, 0, "1", "NORM|none",
                "scenario train: longer gradients are scaled to it"},
    SettingTerm{"label_smoothing", kWorkload, kRatio, true, "", 0, 0, "0", "RATIO",
                "scenario train: share of a label that is spread over all classes"},
    SettingTerm{"dropout", kWorkload, kChoice, true, "config,off", 0, 0, "config", "DROPOUT",
                "scenario train: as the model's configuration says, or none"},
    SettingTerm{"stride", kWorkload, kCount, false, "", 0, 1048576, "128", "N",
                "scenario train, question_answering: tokens that two windows over a long context share"},
    SettingTerm{"inputs", kWorkload, kText, false, "", 0, 0, "", "SPEC",
                "what a TorchScript model is given, in order: ids, mask, types, positions or NAME:TYPE[B,T,...]; "
                "default: ids,mask"},
    SettingTerm{"limit", kWorkload, kCount, true, "all", 1, 1000000000, "all", "N|all",
                "examples taken from the data set, a seeded draw"},
    SettingTerm{"seed", kWorkload, kCount, false, "", 0, 9223372036854775807, "0", "N",
                "seed of weights, draws and order"},
    SettingTerm{"engine", kEngine, kChoice, true, "pytorch,fast", 0, 0, "pytorch", "ENGINE",
                "how the model is computed: pytorch as a Python user gets it, fast our best; sets what else is auto"},
    SettingTerm{"precision", kEngine, kChoice, true, "auto,fp32,tf32,bf16,bf16_autocast,fp16,int8,int8_static,int8_weight_only",
                0, 0, "auto", "P",
                "number format of weights and activations; auto: fp32, and bf16 where the device has it; tf32: fp32 whose products a GPU "
                "rounds to 10 bits; of scenario train, bf16_autocast and fp16 keep weights in fp32, fp16 with the loss scaled"},
    SettingTerm{"optimizer", kEngine, kChoice, true, "adamw,adam,sgd,adafactor", 0, 0, "adamw", "OPTIMIZER",
                "scenario train: what makes weights of gradients; sgd has momentum 0.9"},
    SettingTerm{"gradient_checkpointing", kEngine, kChoice, true, "on,off", 0, 0, "off", "on|off",
                "scenario train: compute each layer a second time in the backward pass in place of keeping its activations"},
    SettingTerm{"deterministic", kEngine, kChoice, true, "on,off", 0, 0, "off", "on|off",
                "scenario train: only kernels that give the same bits each time; what has none fails"},
    SettingTerm{"loader_threads", kEngine, kCount, true, "", 0, 1024, "1", "N",
                "scenario train: threads that tokenise ahead; 0: none, each step waits for its texts"},
    SettingTerm{"attention", kEngine, kChoice, true,
                "auto,sdpa,eager,math,flash,memory_efficient,cudnn,flash_varlen", 0, 0, "auto", "KERNEL",
                "attention kernel: sdpa is LibTorch's choice, eager is matmul-softmax-matmul; auto: the engine's"},
    SettingTerm{"weights", kEngine, kChoice, true, "auto,plain,prepacked", 0, 0, "auto", "LAYOUT",
                "weights as they are, or laid out once as the kernels want them; auto: the engine's"},
    SettingTerm{"fusion", kEngine, kChoice, true, "auto,none,fused", 0, 0, "auto", "FUSION",
                "fused: one product for query, key and value; bias, activation and residual in the product; "
                "auto: the engine's"},
    SettingTerm{"batching", kEngine, kChoice, true, "auto,padded,bucketed,packed", 0, 0, "auto", "BATCHING",
                "padded rows, batches of like lengths, or rows one after another without padding; auto: the engine's"},
    SettingTerm{"bucket_window", kEngine, kCount, true, "all", 1, 1000000000, "", "N|all",
                "examples that bucketed batching sorts by length at a time; default: all"},
    SettingTerm{"streams", kEngine, kCount, true, "auto,threads", 1, 4096, "auto", "N|threads|auto",
                "chunks of a batch computed side by side, sharing the threads; threads: as many; auto: the engine's"},
    SettingTerm{"chunk_tokens", kEngine, kCount, true, "auto,none", 1, 1048576, "auto", "N|none|auto",
                "tokens that a chunk of a batch holds at most; none: no more chunks than streams; auto: the engine's"},
    SettingTerm{"attention_mask", kEngine, kChoice, true, "on,off", 0, 0, "on", "on|off",
                "mask padding out; off lets every token attend to padding too"},
    SettingTerm{"graphs", kEngine, kChoice, true, "on,off", 0, 0, "off", "on|off",
                "CUDA: record each batch's pass once as a graph and replay it, checked against the plain pass"},
    SettingTerm{"threads", kLaunch, kCount, true, "auto", 1, 4096, "auto", "N|auto",
                "threads of the worker; auto: the physical cores it may use"},
    SettingTerm{"interop_threads", kLaunch, kCount, true, "auto", 1, 4096, "auto", "N|auto",
                "threads between operators, as TorchScript's fork takes them; auto: LibTorch's own number"},
    SettingTerm{"allocator", kLaunch, kChoice, true, "auto,glibc,glibc_raised,jemalloc,mimalloc", 0, 0, "auto", "ALLOCATOR",
                "the worker's malloc; all but glibc keep freed memory in place of giving it back to the kernel; auto: the "
                "engine's"},
    SettingTerm{"huge_pages", kLaunch, kChoice, true, "auto,system,off,transparent,preferred", 0, 0, "auto", "PAGES",
                "system: as the machine is set; off: none; transparent: the allocator asks for pages of 2 MiB; preferred: "
                "so where the machine allows it; auto: the engine's"},
    SettingTerm{"pinning", kLaunch, kChoice, true, "none,cores,threads", 0, 0, "none", "PINNING",
                "cores: the worker stays on as many cores as it has threads; threads: also each thread on one core"},
    SettingTerm{"numa", kLaunch, kCount, true, "none,interleave", 0, 1023, "none", "NODE|none|interleave",
                "processors and memory of one NUMA node, or memory of all nodes in turn"},
    SettingTerm{"memory_limit", kLaunch, kBytes, true, "auto", 1, 0, "auto", "BYTES|auto",
                "memory the worker may allocate; auto: what is available less 1 GiB"},
    SettingTerm{"transfers", kScenario, kChoice, true, "on,off", 0, 0, "off", "on|off",
                "GPU: inputs go there and outputs come back within each sample, from page-locked memory, as phases of their own"},
    SettingTerm{"device", kDevice, kPlace, true, "auto,cpu,cuda,rocm,mps", 0, 0, "auto", "DEVICE",
                "where the model runs: auto (the best device the worker has), cpu, cuda or cuda:N, rocm, mps"},
    SettingTerm{"warmup", kScenario, kCount, false, "auto", 0, 1000000000, "auto", "N|auto",
                "batches, requests of generate, or steps of train, before measuring; auto: found from the data"},
    SettingTerm{"samples", kScenario, kCount, false, "auto", 1, 1000000000, "auto", "N|auto",
                "batches, requests of generate, or steps of train, measured; auto: until the interval is narrow enough"},
    SettingTerm{"price_per_hour", kScenario, kPositive, false, "", 0, 0, "", "USD",
                "scenario train: what the machine costs an hour in US dollars, for cost_per_step; default: unknown"},
    SettingTerm{"replicates", kRun, kCount, false, "", 1, 1000, "1", "R",
                "fresh workers per case; 3 or more give an interval over processes"},
    SettingTerm{"baseline", kRun, kBaseline, false, "", 0, 0, "", "SETTING=VALUE,...",
                "the arm that speed-up and memory saved refer to, as attention=eager; without --replicates it asks for 3"},
    SettingTerm{"time_limit", kRun, kDuration, false, "auto", 0, 0, "auto", "TIME|auto",
                "longest measuring of one replicate; auto: the longer of 30 s and 10 samples"},
    SettingTerm{"time_budget", kRun, kDuration, false, "none", 0, 0, "none", "TIME|none",
                "time for the whole run, shared out over the cases, cheapest first"},
    SettingTerm{"reference", kRun, kChoice, false, "on,off", 0, 0, "on", "on|off",
                "compare each case's outputs with those of a reference (fp32, eager), made once and cached"},
    SettingTerm{"worker_timeout", kRun, kDuration, false, "", 0, 0, "120s", "TIME",
                "longest silence of a worker before it is ended as hung"},
    SettingTerm{"peaks", kRun, kChoice, false, "stored,measure,off", 0, 0, "stored", "WORD",
                "the machine's peaks, for mfu and bandwidth_share: those in the store, missing and disturbed ones measured "
                "first, or none"},
    SettingTerm{"busy_gpu", kRun, kChoice, false, "warn,error", 0, 0, "warn", "WORD",
                "other processes on a GPU of the plan when the run begins: warn of them, or end with an error"},
    SettingTerm{"store", kRun, kText, false, "", 0, 0, "transformeter.db", "PATH",
                "the results database"},
    SettingTerm{"name", kRun, kText, false, "", 0, 0, "", "TEXT",
                "a name for the run"},
    SettingTerm{"worker", kRun, kText, false, "", 0, 0, "", "PATH",
                "the worker program; default: transformeter-worker beside this program"},
    SettingTerm{"strict", kRun, kFlag, false, "", 0, 0, "false", "",
                "exit with 1 unless every case is ok"},
};
// clang-format on

bool is_word(const SettingTerm& term, std::string_view text) {
  const std::vector<std::string> words = setting_words(term);
  return std::find(words.begin(), words.end(), text) != words.end();
}

Json parse_count(const SettingTerm& term, std::string_view text) {
  const auto number = parse_integer(text);
  if (number && *number >= term.minimum && *number <= term.maximum) return *number;
  const std::string words = term.words.empty() ? "" : fmt::format(", or {}", fmt::join(setting_words(term), ", "));
  throw bad_value(term.name, text, fmt::format("a whole number from {} to {}{}", term.minimum, term.maximum, words));
}

// "cuda" is the first GPU, so that one device has one name.
Json parse_place(const SettingTerm& term, std::string_view text) {
  constexpr std::string_view kPrefix = "cuda:";
  constexpr long long kMostGpus = 1024;
  if (text == "cuda") return "cuda:0";
  if (is_word(term, text)) return std::string(text);
  if (text.substr(0, kPrefix.size()) == kPrefix) {
    const auto ordinal = parse_integer(text.substr(kPrefix.size()));
    if (ordinal && *ordinal >= 0 && *ordinal < kMostGpus) return fmt::format("cuda:{}", *ordinal);
    throw bad_value(term.name, text, "cuda:0, cuda:1 and so on");
  }
  throw unknown_value(term.name, text, setting_words(term));
}

Json parse_ratio(const SettingTerm& term, std::string_view text) {
  const auto number = parse_number(text);
  if (number && *number >= 0 && *number < 1) return *number + 0.0;  // no -0
  throw bad_value(term.name, text, "a number from 0 to below 1, as 0.25");
}

Json parse_positive(const SettingTerm& term, std::string_view text) {
  const auto number = parse_number(text);
  if (number && *number > 0 && std::isfinite(*number)) return *number;
  const std::string words = term.words.empty() ? "" : fmt::format(", or {}", fmt::join(setting_words(term), ", "));
  throw bad_value(term.name, text, fmt::format("a number above 0{}", words),
                  term.name == "learning_rate" ? "A rate of 0 learns nothing." : "");
}

Json parse_flag(const SettingTerm& term, std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw bad_value(term.name, text, "true or false");
}

}  // namespace

std::span<const SettingTerm> setting_terms() {
  return kSettings;
}

const SettingTerm& setting_term(std::string_view name) {
  std::vector<std::string> names;
  for (const SettingTerm& term : kSettings) {
    if (term.name == name) return term;
    names.emplace_back(term.name);
  }
  throw unknown_value("setting", name, names);
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::vector<std::string> setting_words(const SettingTerm& term) {
  return term.words.empty() ? std::vector<std::string>{} : split(term.words, ',');
}

Json parse_setting(const SettingTerm& term, std::string_view text) {
  text = trim(text);
  if (term.kind != kPlace && is_word(term, text)) return std::string(text);
  switch (term.kind) {
    case kText:
      if (text.empty()) throw bad_value(term.name, text, "a text that is not empty");
      if (first_invalid_utf8(text)) throw bad_value(term.name, "(not UTF-8)", "UTF-8 text");
      return std::string(text);
    case kChoice:
      throw unknown_value(term.name, text, setting_words(term));
    case kPlace:
      return parse_place(term, text);
    case kCount:
      return parse_count(term, text);
    case kDuration:
      return parse_duration(term.name, text).count();
    case kBytes:
      return parse_bytes(term.name, text);
    case kRatio:
      return parse_ratio(term, text);
    case kPositive:
      return parse_positive(term, text);
    case kFlag:
      return parse_flag(term, text);
    case kBaseline:
      return parse_baseline(text);
  }
  throw Error(ErrorKind::kInternal, fmt::format("setting '{}' has no parser", term.name));
}

std::string last_path_part(std::string_view path) {
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string_view::npos) return std::string(path);
  const std::size_t slash = path.find_last_of('/', end);
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  return std::string(path.substr(begin, end + 1 - begin));
}

std::string short_name(std::string_view path) {
  constexpr std::size_t kCommitDigits = 40;
  constexpr std::size_t kShownDigits = 7;
  std::string name = last_path_part(path);
  const std::size_t at = name.rfind('@');
  const bool has_commit = at != std::string::npos && name.size() == at + 1 + kCommitDigits &&
                          name.find_first_not_of("0123456789abcdef", at + 1) == std::string::npos;
  if (has_commit) name.resize(at + 1 + kShownDigits);
  return name;
}

std::string data_path_text(std::string_view path) {
  const std::size_t file = path.find_last_of('/');
  if (file == std::string_view::npos || file == 0) return last_path_part(path);
  return std::string(path.substr(path.find_last_of('/', file - 1) + 1));  // npos + 1 is 0
}

// Shapes get a letter, batch and length those of the shape comments; a precision or a kernel speaks for itself; all
// else is named.
std::string setting_label(std::string_view name, const Json& value) {
  std::string text = setting_text(value);
  if (name == "data") return data_path_text(text);
  if (name == "model") return short_name(text);
  if (name == "batch_size") return "b" + text;
  if (name == "sequence_length") return value.is_number() ? "t" + text : text;
  if (name == "prompt_length") return "p" + text;
  if (name == "new_tokens") return "n" + text;
  if (name == "gradient_accumulation") return "x" + text;
  if (name == "learning_rate") return "lr" + text;
  if (name == "task" || name == "scenario" || name == "engine" || name == "precision" || name == "attention" ||
      name == "optimizer" || name == "device" || name == "length_distribution") {
    return text;
  }
  return fmt::format("{}={}", name, text);
}

bool is_generate(const Json& requested) {
  return requested.is_object() && requested.value("scenario", Json()) == "generate";
}

bool is_batch(const Json& requested) {
  return !is_generate(requested) && !is_train(requested);
}

bool is_train(const Json& requested) {
  return requested.is_object() && requested.value("scenario", Json()) == "train";
}

std::string setting_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) {
    std::string text = fmt::format("{}", value.get<double>());
    if (text.size() > 2 && text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
  }
  return value.is_object() ? baseline_text(value) : canonical_json(value);
}

}  // namespace transformeter
