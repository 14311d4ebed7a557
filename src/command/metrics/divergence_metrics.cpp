// Rows from the series that output_comparison.h makes, and the table of tolerances.
#include "metrics/divergence_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "metrics/case_settings.h"
#include "metrics/metric_rows.h"
#include "metrics/negative_controls.h"
#include "metrics/scalar_metrics.h"

namespace transformeter {
namespace {

struct Tolerance {
  std::string_view precision;
  double divergence;
};

constexpr std::array kTolerances{
    Tolerance{"fp32", 1e-4},          Tolerance{"tf32", 0.02},
    Tolerance{"fp16", 0.02},          Tolerance{"bf16", 0.15},
    Tolerance{"bf16_autocast", 0.15}, Tolerance{"int8", 0.25},
    Tolerance{"int8_static", 0.3},    Tolerance{"int8_weight_only", 0.25},
};

// Tasks whose rows are logits of classes; a vector has none, and an answer's start and end are no classes.
// A divergence that a wrong model exceeds by less is no evidence that the model is right.
constexpr double kControlFactor = 4;

// Random layers amplify rounding, one after the other, where trained ones dampen it. What is allowed beyond the table
// stays below what a wrong model diverges by: without controls a constant answer's 1.
constexpr double kSeededFactor = 3;
constexpr double kControlShare = 0.8;

std::optional<NamedControl> control_of(const CaseRecord& the_case) {
  const Json* json = &the_case.effective;
  for (const char* name : {"reference", "controls"}) {
    const auto found = json->find(name);
    if (found == json->end()) return std::nullopt;
    json = &*found;
  }
  try {
    return smallest_control(controls_from(*json));
  } catch (const Json::exception&) {
    return std::nullopt;  // another program wrote it
  }
}

bool is_quantized_file(const CaseRecord& the_case) {
  return flag_of_path(the_case.effective, {"model", "quantized"}) == true;
}

std::optional<double> tolerance_of(const CaseRecord& the_case) {
  const auto precision = text_of_path(the_case.requested, {"precision"});
  auto tolerance = precision ? divergence_tolerance(*precision) : std::nullopt;
  // A file's own products in int8 find their scales in each batch.
  if (tolerance && is_quantized_file(the_case)) tolerance = std::max(tolerance, divergence_tolerance("int8"));
  const bool is_seeded = flag_of_path(the_case.effective, {"model", "trained"}) == false;
  if (!tolerance || !is_seeded) return tolerance;
  const auto control = control_of(the_case);
  const double most = kControlShare * (control ? control->divergence : 1);
  return std::max(*tolerance, std::min(kSeededFactor * *tolerance, most));
}

std::string allowed_for(const CaseRecord& the_case) {
  const bool is_seeded = flag_of_path(the_case.effective, {"model", "trained"}) == false;
  return text_of_path(the_case.requested, {"precision"}).value_or("") + (is_seeded ? " with seeded weights" : "") +
         (is_quantized_file(the_case) ? " with the file's products in int8" : "");
}

// As the run that measured it said.
std::optional<std::string> stored_reason(const CaseRecord& the_case) {
  const auto failure = text_of_path(the_case.effective, {"reference", "failed"});
  return failure ? failure : text_of_path(the_case.effective, {"reference", "absent"});
}

std::string why_none(const CaseRecord& the_case) {
  const auto why = stored_reason(the_case);
  return why ? "no reference: " + *why : "the outputs were not compared with a reference";
}

MetricRow compared_row(const RowTitle& title, std::optional<double> value, double n, const std::string& why) {
  if (!value) return missing_row(title, why);
  return estimate_row(title, Estimate{*value, std::nullopt, static_cast<std::size_t>(n)}, IntervalKind::kNone);
}

// Of the first replicate that was compared; null where none was.
const ReplicateRecord* compared_replicate(const std::vector<const ReplicateRecord*>& replicates) {
  const auto found = std::find_if(replicates.begin(), replicates.end(), [](const ReplicateRecord* replicate) {
    return scalar_of(*replicate, "divergence").has_value();
  });
  return found == replicates.end() ? nullptr : *found;
}

}  // namespace

std::vector<MetricRow> divergence_metrics(const CaseRecord& the_case, const Slices& slices) {
  const RowTitle rms{"divergence", "value"};
  const RowTitle largest{"divergence_max", "value"};
  const RowTitle agreement{"top1_agreement", "ratio"};
  const ReplicateRecord* replicate = compared_replicate(slices.replicates);
  if (replicate == nullptr) {
    const std::string why = why_none(the_case);
    return {missing_row(rms, why), missing_row(largest, why), missing_row(agreement, why)};
  }
  const auto inputs = scalar_of(*replicate, "compared_inputs");
  const double n = inputs && is_count(*inputs) ? *inputs : 0;
  const auto rows = scalar_of(*replicate, "compared_rows");
  const auto agreed = scalar_of(*replicate, "agreed_rows");
  const bool has_classes = task_has(the_case.requested, predicts_classes);
  std::optional<double> share;
  if (has_classes && rows && agreed && is_count(*rows) && is_count(*agreed) && *rows > 0) share = *agreed / *rows;
  return {compared_row(rms, scalar_of(*replicate, "divergence"), n, ""),
          compared_row(largest, scalar_of(*replicate, "divergence_max"), n, std::string(kNotAvailable)),
          compared_row(agreement, share, rows.value_or(0), "the task does not predict classes")};
}

std::optional<double> divergence_tolerance(std::string_view precision) {
  for (const Tolerance& tolerance : kTolerances) {
    if (tolerance.precision == precision) return tolerance.divergence;
  }
  return std::nullopt;
}

std::string excessive_divergence(const CaseRecord& the_case, const ReplicateRecord& replicate) {
  const auto divergence = scalar_of(replicate, "divergence");
  const auto tolerance = tolerance_of(the_case);
  if (!divergence || !tolerance || *divergence <= *tolerance) return "";
  const bool is_unmasked = text_of_path(the_case.effective, {"attention_mask"}) == std::optional<std::string>("off");
  return fmt::format(
      "the outputs diverge from the reference by {:.3g} of its spread; allowed for {}: {:.3g}{}", *divergence,
      allowed_for(the_case), *tolerance,
      is_unmasked ? "; without an attention mask tokens attend to padding, which changes the outputs" : "");
}

std::string untestable_numerics(const CaseRecord& the_case, const ReplicateRecord& replicate) {
  const auto divergence = scalar_of(replicate, "divergence");
  const auto control = control_of(the_case);
  if (!divergence || !control) return "";
  const auto tolerance = tolerance_of(the_case);
  if (tolerance && control->divergence <= *tolerance) {
    return fmt::format("a model {} would diverge by only {:.3g}, within the tolerance of {}", control->description,
                       control->divergence, allowed_for(the_case));
  }
  if ((tolerance && *divergence > *tolerance) || kControlFactor * *divergence <= control->divergence) return "";
  return fmt::format("the outputs diverge by {:.3g}; a model {} would diverge by {:.3g}, less than {} times as much",
                     *divergence, control->description, control->divergence, kControlFactor);
}

std::optional<std::string> why_not_compared(const CaseRecord& the_case,
                                            const std::vector<const ReplicateRecord*>& replicates) {
  if (compared_replicate(replicates) != nullptr) return std::nullopt;
  return stored_reason(the_case).value_or("no comparison is stored");
}

}  // namespace transformeter
