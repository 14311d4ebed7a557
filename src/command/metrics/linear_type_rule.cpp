// One table: what each precision means for a product.
#include "metrics/linear_type_rule.h"

#include <fmt/format.h>

#include <vector>

#include "metrics/case_settings.h"
#include "schema/case.h"
#include "schema/linear_types.h"

namespace transformeter {
namespace {

// Nothing where a worker, perhaps not ours, wrote something else.
std::vector<LinearType> types_under(const Json& effective, const char* key) {
  try {
    return effective.value(key, Json::array()).get<std::vector<LinearType>>();
  } catch (const Json::exception&) {
    return {};
  }
}

struct PrecisionFormat {
  std::string_view precision, format;
};
constexpr PrecisionFormat kFormats[] = {
    {"fp32", "fp32"}, {"tf32", "fp32"}, {"bf16", "bf16"}, {"bf16_autocast", "bf16"}, {"fp16", "fp16"}};

bool fits(std::string_view asked, const LinearType& type) {
  const bool has_int8_weight = type.weight == "int8";
  if (asked.starts_with("int8")) {
    const bool has_int8_input = type.input == "int8" || type.input == "uint8";
    return type.may_stay || (has_int8_weight && (has_int8_input || asked == "int8_weight_only"));
  }
  for (const PrecisionFormat& one : kFormats) {
    if (one.precision == asked) return type.input == one.format && type.weight == one.format;
  }
  return true;
}

bool is_quantized(const LinearType& type) {
  return type.weight == "int8" || type.weight == "uint8";
}

// Where the operator hides the weight's format, it may be in 8 bits.
bool is_outside_int8(const LinearType& type) {
  return !is_quantized(type) && type.weight != "packed";
}

std::string misfits(std::string_view asked, const std::vector<LinearType>& types, std::string_view phase) {
  std::int64_t all = 0;
  for (const LinearType& type : types) all += type.count;
  std::string text;
  for (const LinearType& type : types) {
    if (fits(asked, type)) continue;
    text +=
        fmt::format("{}{} of {} linear operators{} ({:.3g} % of their FLOPs) had {} inputs and {} weights",
                    text.empty() ? "" : "; ", type.count, all, phase, 100 * type.flop_share, type.input, type.weight);
  }
  return text;
}

}  // namespace

std::string wrong_linear_types(const CaseRecord& the_case) {
  const auto asked = text_of_path(the_case.requested, {"precision"});
  if (!asked || !the_case.effective.is_object()) return {};
  const bool is_compiled = is_compiled_format(text_of_path(the_case.effective, {"model", "weights"}).value_or(""));
  if (is_compiled && fits(*asked, {"fp32", "fp32"})) return {};
  std::vector<LinearType> first = types_under(the_case.effective, "linear_types");
  // What a file holds quantized is its own in any precision.
  if (is_compiled) std::erase_if(first, is_quantized);
  std::string text = misfits(*asked, first, "");
  const std::string later = misfits(*asked, types_under(the_case.effective, "linear_types_decode"), " in decoding");
  if (!text.empty() && !later.empty()) text += "; ";
  text += later;
  return text.empty() ? text : fmt::format("requested precision '{}', but {}", *asked, text);
}

std::optional<double> share_outside_int8(const CaseRecord& the_case) {
  if (!the_case.effective.is_object()) return std::nullopt;
  const std::vector<LinearType> types = types_under(the_case.effective, "linear_types");
  if (types.empty()) return std::nullopt;
  double share = 0;
  for (const LinearType& type : types) {
    if (is_outside_int8(type)) share += type.flop_share;
  }
  return share;
}

}  // namespace transformeter
