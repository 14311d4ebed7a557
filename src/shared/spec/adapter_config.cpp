// Keys that PEFT has defaults for are written where a reader may look for them.
#include "spec/adapter_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/architecture.h"

namespace transformeter {
namespace {

Json task_type_of(Task task) {
  switch (head_of(task)) {
    case HeadKind::kSequenceClasses:
      return "SEQ_CLS";
    case HeadKind::kTokenClasses:
      return "TOKEN_CLS";
    case HeadKind::kSpan:
      return "QUESTION_ANS";
    case HeadKind::kNextToken:
      return "CAUSAL_LM";
    case HeadKind::kTargetTokens:
      return "SEQ_2_SEQ_LM";
    default:
      return {};
  }
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace

std::optional<std::string> why_not_for_peft(const ModelConfig& config, Task task) {
  const Architecture& architecture = *config.architecture;
  const bool has_other_prefix = head_of(task) == HeadKind::kSpan && !architecture.span_prefix.empty();
  const bool has_other_names = reads_images(task) && !has_captions(task);
  if (!has_other_names && !has_other_prefix) return std::nullopt;
  const std::string other =
      has_other_prefix
          ? fmt::format("{} begins them with '{}'", architecture.class_name(HeadKind::kSpan), architecture.span_prefix)
          : "Transformers 5 has other names for them";
  return fmt::format(
      "task {} of family {}: PEFT cannot load an adapter by the names of the checkpoint's modules, since "
      "{}: give --merge-adapter",
      name_of(task), architecture.family, other);
}

Json adapter_config(const LoraPlan& lora, Task task, const AdapterBase& base) {
  const bool is_transposed = std::any_of(lora.matrices.begin(), lora.matrices.end(), [](const LinearSpec& matrix) {
    return matrix.layout == WeightLayout::kInOut;
  });
  return {{"peft_type", "LORA"},
          {"task_type", task_type_of(task)},
          {"base_model_name_or_path", base.name},
          {"revision", text_or_null(base.revision)},
          {"r", lora.rank},
          {"lora_alpha", lora.alpha},
          {"lora_dropout", 0.0},
          {"target_modules", lora.targets},
          {"modules_to_save", lora.modules_to_save.empty() ? Json() : Json(lora.modules_to_save)},
          {"fan_in_fan_out", is_transposed},
          {"bias", "none"},
          {"init_lora_weights", true},
          {"use_dora", false},
          {"use_rslora", false},
          {"inference_mode", true}};
}

}  // namespace transformeter
