// Declared here, so that the command keeps no table of its own.
#include "engine/capabilities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/devices.h"
#include "device/runtime.h"
#include "engine/backends.h"
#include "engine/one_dnn_support.h"
#include "engine/operators.h"
#include "engine/runtime_settings.h"
#include "schema/scenario.h"
#include "schema/task.h"

namespace transformeter {
namespace {

constexpr const char* kTf32 = "TF32 is only available on CUDA, for fp32 matrix products";
constexpr const char* kGraphs = "graphs need CUDA";
constexpr const char* kTransfers = "transfers need a GPU; the CPU reads inputs in place";

// Chosen by measurement (docs/benchmarks.md): what a chunk's widest activations leave of a core's cache.
Json fast_chunk_tokens() {
  return {{"cuda", "none"}, {"fp32", 256}, {"bf16", 1024}, {"else", 512}};
}

// A decoding step is one row, for which packed weights gain nothing and cost some (docs/benchmarks.md); those of a
// training change at each step.
Json fast_weights() {
  return {{"cuda", "plain"},  {"int8_weight_only", "plain"}, {"int8_static", "prepacked"}, {"generate", "plain"},
          {"train", "plain"}, {"else", "prepacked"}};
}

// What packed rows are for on a GPU; it has no kernel for fp32, and none for rows that a cache holds. In 16 bits
// processors differ in which kernel of the CPU is faster.
Json fast_attention() {
  const Json packed{{"fp32", "sdpa"},   {"tf32", "sdpa"},     {"generate", "sdpa"},    {"train", "sdpa"},
                    {"padded", "sdpa"}, {"bucketed", "sdpa"}, {"else", "flash_varlen"}};
  const Json tried{{"train", "sdpa"}, {"else", "trial"}};
  return {{"cuda", packed}, {"bf16", tried}, {"fp16", tried}, {"int8_weight_only", tried}, {"else", "sdpa"}};
}

// A stream takes no threads that are pinned one by one.
Json fast_streams() {
  return {{"cuda", 1}, {"threads", 1}, {"else", "threads"}};
}

// Memory that is kept from step to step made training in bf16_autocast slower on a processor with AMX, and no faster on
// one without (docs/benchmarks.md).
Json kept_memory(const char* kept, const char* returned) {
  return {{"bf16_autocast", returned}, {"else", kept}};
}

std::map<std::string, Json> fast_choices() {
  return {{"attention", fast_attention()},
          {"weights", fast_weights()},
          {"fusion", "fused"},
          {"head_tokens", "needed"},
          {"batching", Json{{name_of(Task::kSeq2SeqLm), "padded"}, {"else", "packed"}}},
          {"streams", fast_streams()},
          {"chunk_tokens", fast_chunk_tokens()},
          {"allocator", kept_memory("glibc_raised", "glibc")},
          {"huge_pages", kept_memory("preferred", "system")}};
}

// Engine auto is what trials begin with.
std::map<std::string, std::map<std::string, Json>> named_engines() {
  return {{"pytorch",
           {{"attention", "sdpa"},
            {"weights", Json{{"int8_static", "prepacked"}, {"else", "plain"}}},
            {"fusion", "none"},
            {"head_tokens", "all"},
            {"batching", "padded"},
            {"streams", 1},
            {"chunk_tokens", "none"},
            {"allocator", "glibc"},
            {"huge_pages", "system"}}},
          {"fast", fast_choices()},
          {"auto", fast_choices()}};
}

// What a library decides for itself stays auto.
std::map<std::string, Json> backend_choices() {
  return {{"head_tokens", "all"},   {"batching", "padded"}, {"streams", 1},
          {"chunk_tokens", "none"}, {"allocator", "glibc"}, {"huge_pages", "system"}};
}

void add_backends(Capabilities& capabilities) {
  std::vector<std::string>& engines = capabilities.values["engine"];
  for (const auto& [name, choices] : capabilities.engines) engines.push_back(name);
  for (const std::string& name : backend_names()) {
    if (auto why_not = why_no_backend(name)) {
      capabilities.reasons["engine=" + name] = *why_not;
    } else {
      engines.push_back(name);
      capabilities.engines[name] = backend_choices();
    }
  }
}

bool has_gpu() {
  return devices_here().names.size() > 1;
}

std::vector<std::string> scenarios_of(OfferedWork work) {
  std::vector<std::string> names;
  for (const ScenarioName& known : kScenarioNames) {
    if (known.work == work) names.emplace_back(known.name);
  }
  return names;
}

std::vector<std::string> scenarios_without_steps() {
  std::vector<std::string> names = scenarios_of(OfferedWork::kForwardPasses);
  for (std::string& name : scenarios_of(OfferedWork::kRequests)) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> tasks_on(Modality modality) {
  std::vector<std::string> names;
  for (const TaskName& known : kTaskNames) {
    if (known.modality == modality) names.emplace_back(known.name);
  }
  return names;
}

// What a training lacks, or alone has.
std::vector<Conflict> training_conflicts() {
  const std::vector<std::string> train{std::string(name_of(Scenario::kTrain))};
  const std::vector<std::string> on{"on"};
  return {{{{"scenario", scenarios_without_steps()}, {"precision", {"bf16_autocast"}}},
           "precision bf16_autocast (fp32 weights, bf16 matrix products) needs scenario train; use bf16"},
          {{{"scenario", train}, {"precision", {"int8", "int8_static", "int8_weight_only"}}},
           "scenario train does not support int8, which cannot represent weight updates"},
          {{{"scenario", train}, {"precision", {"fp16"}}, {"device", {"cpu"}}},
           "scenario train in fp16 needs CUDA; on the CPU, use bf16_autocast"},
          {{{"scenario", train}, {"weights", {"prepacked"}}},
           "scenario train does not support weights prepacked, since weights change at each step"},
          {{{"scenario", scenarios_of(OfferedWork::kForwardPasses)},
            {"products", {"trial", "onednn", "mkl"}},
            {"weights", {"plain"}}},
           "products names a kernel of weights prepacked"},
          {{{"scenario", scenarios_without_steps()},
            {"products", {"trial", "mkl"}},
            {"precision", {"fp16", "int8", "int8_static"}}},
           "there is a choice of products in fp32 and bf16 alone"},
          {{{"scenario", scenarios_without_steps()}, {"products", {"mkl"}}, {"precision", {"bf16"}}},
           "products mkl is for fp32; use auto, trial or onednn"},
          {{{"scenario", train}, {"products", {"mkl"}}},
           "scenario train does not support products mkl, which packs weights: they change at each step"},
          {{{"scenario", train}, {"products", {"trial", "onednn"}}, {"fusion", {"none"}}},
           "scenario train has LibTorch's own products with fusion none; use fusion fused"},
          {{{"scenario", train}, {"products", {"trial", "onednn"}}, {"one_dnn", {"off"}}},
           "products trial and onednn need one_dnn on"},
          {{{"scenario", train}, {"products", {"trial", "onednn"}}, {"deterministic", on}},
           "deterministic on takes LibTorch's own products"},
          {{{"scenario", train}, {"attention", {"flash_varlen"}}},
           "scenario train does not support attention flash_varlen, which has no backward pass here"},
          {{{"scenario", train}, {"attention", {"tiled", "trial"}}},
           "scenario train does not support attention tiled or trial, which have no backward pass; use attention sdpa"},
          {{{"scenario", train}, {"graphs", on}},
           "scenario train does not support graphs on, which record only forward passes"},
          {{{"scenario", train}, {"transfers", on}},
           "scenario train does not support transfers on: copies are always part of data_wait"},
          {{{"scenario", train}, {"task", {std::string(name_of(Task::kEmbedding))}}},
           "task embedding cannot be trained: it has no labels and no loss"},
          {{{"scenario", train}, {"task", {std::string(name_of(Task::kImageEmbedding))}}},
           "task image_embedding cannot be trained: it has no labels and no loss"},
          {{{"scenario", train}, {"task", {std::string(name_of(Task::kZeroShotImageClassification))}}},
           "task zero_shot_image_classification cannot be trained: its classes are texts, and it has no loss"},
          {{{"scenario", train}, {"task", {std::string(name_of(Task::kAudioEmbedding))}}},
           "task audio_embedding cannot be trained: it has no labels and no loss"}};
}

// Of requests, whose prompts and steps are products of different numbers of rows.
std::vector<Conflict> request_conflicts() {
  const std::vector<std::string> generate{std::string(name_of(Scenario::kGenerate))};
  const std::vector<std::string> named{"trial", "onednn"};
  return {{{{"scenario", generate}, {"products", {"mkl"}}},
           "scenario generate does not support products mkl, which packs weights for one number of rows"},
          {{{"scenario", generate},
            {"products", named},
            {"precision", {"fp32", "fp16", "int8", "int8_weight_only"}},
            {"weights", {"plain"}}},
           "scenario generate chooses products only in bf16; use auto"},
          {{{"scenario", generate}, {"products", {"trial"}}, {"weights", {"prepacked"}}},
           "scenario generate chooses products only with weights plain"},
          {{{"scenario", generate}, {"products", named}, {"weights", {"plain"}}, {"fusion", {"none"}}},
           "scenario generate has LibTorch's own products with fusion none; use fusion fused"},
          {{{"scenario", generate}, {"products", named}, {"weights", {"plain"}}, {"one_dnn", {"off"}}},
           "products trial and onednn need one_dnn on"}};
}

std::vector<Conflict> gpu_conflicts() {
  const std::vector<std::string> cuda{"cuda"};
  const std::vector<std::string> cpu{"cpu"};
  const std::string of_the_cpu = " is only available on the CPU";
  return {{{{"device", cuda}, {"engine", {"auto"}}}, "engine auto has no trials on a GPU; use engine fast"},
          {{{"device", cuda}, {"attention", {"tiled", "trial"}}}, "attention tiled or trial" + of_the_cpu},
          {{{"device", cuda}, {"weights", {"prepacked"}}}, "weights prepacked" + of_the_cpu},
          {{{"device", cuda}, {"precision", {"int8", "int8_static", "int8_weight_only"}}}, "int8" + of_the_cpu},
          {{{"device", cuda}, {"attention", {"flash", "flash_varlen", "cudnn"}}, {"precision", {"fp32", "tf32"}}},
           "CUDA's flash and cuDNN attention need fp16 or bf16"},
          {{{"device", cuda},
            {"scenario", {std::string(name_of(Scenario::kTrain))}},
            {"task", {std::string(name_of(Task::kSpeechRecognition))}},
            {"deterministic", {"on"}}},
           "the loss of speech_recognition (CTC) has no deterministic backward pass on CUDA"},
          {{{"attention", {"flash_varlen"}}, {"batching", {"padded", "bucketed"}}},
           "attention flash_varlen needs batching packed"},
          {{{"attention", {"flash_varlen"}}, {"scenario", {"generate"}}},
           "attention flash_varlen does not support a key-value cache"},
          {{{"graphs", {"on"}}, {"scenario", {"generate"}}},
           "graphs on does not support generation: shapes change as the key-value cache grows"},
          {{{"transfers", {"on"}}, {"scenario", {"generate"}}},
           "transfers on does not support generation: tokens are copied to the host one by one anyway"},
          {{{"device", cpu}, {"attention", {"memory_efficient", "cudnn", "flash_varlen"}}}, "only available on CUDA"},
          {{{"device", cpu}, {"precision", {"tf32"}}}, kTf32},
          {{{"device", cpu}, {"graphs", {"on"}}}, kGraphs},
          {{{"device", cpu}, {"transfers", {"on"}}}, kTransfers}};
}

// Of an engine that is another library: what it has not, and what it decides for itself.
std::vector<Conflict> backend_conflicts(const std::string& engine) {
  std::vector<Conflict> conflicts;
  const auto add = [&](const char* setting, std::vector<std::string> values, const std::string& reason) {
    conflicts.push_back(
        {{{"engine", {engine}}, {setting, std::move(values)}}, fmt::format("engine {} {}", engine, reason)});
  };
  add("device", {"cuda"}, "runs on the CPU only");
  add("scenario",
      {std::string(name_of(Scenario::kGenerate)), std::string(name_of(Scenario::kTrain)),
       std::string(name_of(Scenario::kFinetune))},
      "runs only forward passes; use engine fast or pytorch");
  const std::vector<std::string> precisions = backend_precisions(engine);
  for (const char* other : {"tf32", "bf16", "bf16_autocast", "fp16", "int8", "int8_static", "int8_weight_only"}) {
    if (std::find(precisions.begin(), precisions.end(), other) != precisions.end()) continue;
    const char* const hint =
        std::string_view(other) == "int8" ? "; products in int8 that a file holds run with --precision fp32" : "";
    add("precision", {other},
        fmt::format("has no precision {}; it has {}{}", other, fmt::join(precisions, ", "), hint));
  }
  add("attention", attention_names(false), "has its own attention; omit --attention");
  add("weights", {"plain", "prepacked"}, "lays out weights itself; omit --weights");
  add("fusion", {"none", "fused"}, "fuses operators itself; omit --fusion");
  add("products", {"trial", "onednn", "mkl"}, "chooses kernels itself; omit --products");
  add("one_dnn", {"off"}, "has kernels of its own, not LibTorch's oneDNN; omit --one-dnn");
  add("head_tokens", {"needed"}, "computes all tokens; use --head-tokens all");
  add("batching", {"packed"}, "runs padded batches; use --batching padded or bucketed");
  add("graphs", {"on"}, "has no graphs; use --graphs off");
  add("task", tasks_on(Modality::kImage), "does not run models that read images; use engine fast or pytorch");
  add("task", tasks_on(Modality::kAudio), "does not run models that read sounds; use engine fast or pytorch");
  return conflicts;
}

std::vector<Conflict> conflicts() {
  std::vector<Conflict> conflicts{
      {{{"attention_mask", {"off"}}, {"batching", {"packed"}}},
       "attention_mask off attends to padding, which packed rows do not have"},
      {{{"attention", {"trial"}}, {"precision", {"fp32", "int8", "int8_static"}}},
       "attention trial chooses in 16-bit formats; in fp32 and int8 use attention sdpa"},
      {{{"batching", {"packed"}}, {"task", {std::string(name_of(Task::kSeq2SeqLm))}}},
       "task seq2seq_lm does not support packed rows; use batching padded or bucketed"},
      {{{"scenario", scenarios_without_steps()}, {"task", {std::string(name_of(Task::kContrastiveImageText))}}},
       "task contrastive_image_text is only trained; measure its towers with tasks image_embedding and embedding"},
      {{{"precision", {"int8_static"}}, {"weights", {"plain"}}}, "precision int8_static needs weights prepacked"},
      {{{"precision", {"int8_weight_only"}}, {"weights", {"prepacked"}}},
       "precision int8_weight_only needs weights plain"}};
  for (Conflict& conflict : runtime_conflicts()) conflicts.push_back(std::move(conflict));
  for (Conflict& conflict : training_conflicts()) conflicts.push_back(std::move(conflict));
  for (Conflict& conflict : request_conflicts()) conflicts.push_back(std::move(conflict));
  for (const std::string& engine : backend_names()) {
    for (Conflict& conflict : backend_conflicts(engine)) conflicts.push_back(std::move(conflict));
  }
  if (has_gpu()) {
    for (Conflict& conflict : gpu_conflicts()) conflicts.push_back(std::move(conflict));
  }
  // oneDNN's packed products have no form at all, however slow, where a processor lacks what they need.
  for (const auto& [precision, is_there] :
       {std::pair("bf16", has_one_dnn_bf16()), std::pair("fp16", has_one_dnn_fp16())}) {
    if (is_there) continue;
    conflicts.push_back({{{"precision", {precision}}, {"weights", {"prepacked"}}},
                         fmt::format("oneDNN has no prepacked {} kernels for this CPU", precision)});
  }
  return conflicts;
}

}  // namespace

Capabilities inference_capabilities() {
  Capabilities capabilities;
  capabilities.values = {{"device", devices_here().names},
                         {"precision", cpu_precisions()},
                         {"attention", attention_names(has_gpu())},
                         {"attention_mask", {"on", "off"}},
                         {"graphs", {"off"}},
                         {"transfers", {"off"}}};
  capabilities.values["precision"].emplace_back("bf16_autocast");
  capabilities.native = {{"precision", native_cpu_precisions()}};
  if (has_gpu()) {
    capabilities.values["precision"].emplace_back("tf32");
    capabilities.values["graphs"].emplace_back("on");
    capabilities.values["transfers"].emplace_back("on");
    capabilities.native["precision@cuda"] = devices_here().native_gpu_precisions;
  }
  for (const char* name : {"memory_efficient", "cudnn", "flash_varlen"}) {
    capabilities.reasons["attention=" + std::string(name)] = "only available on CUDA";
  }
  capabilities.reasons["precision=tf32"] = kTf32;
  capabilities.reasons["graphs=on"] = kGraphs;
  capabilities.reasons["transfers=on"] = kTransfers;
  for (const auto& [kind, why_not] : devices_here().why_not) capabilities.reasons["device=" + kind] = why_not;
  capabilities.engines = named_engines();
  add_backends(capabilities);
  capabilities.conflicts = conflicts();
  return capabilities;
}

}  // namespace transformeter
