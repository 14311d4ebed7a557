// Rows from the series that output_comparison.h makes, and the table of tolerances.
#include "metrics/divergence_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "metrics/case_settings.h"
#include "metrics/metric_rows.h"
#include "metrics/scalar_metrics.h"

namespace transformeter {
namespace {

struct Tolerance {
  std::string_view precision;
  double divergence;
};

constexpr std::array kTolerances{
    Tolerance{"fp32", 1e-4},
    Tolerance{"tf32", 0.02},
    Tolerance{"fp16", 0.02},
    Tolerance{"bf16", 0.1},
    Tolerance{"int8", 0.25},
    Tolerance{"int8_static", 0.4},
    Tolerance{"int8_weight_only", 0.15},
};

// Both logits of two classes may lie near zero by chance, where rounding is the same and the scale is not. Answers that
// are all zero lie 1 from a reference whose scale is taken about zero, so that more than half of it is never allowed.
constexpr double kSeededFactor = 3;
constexpr double kSeededCap = 0.5;

// Tasks whose rows are logits of classes; a vector has none, and an answer's start and end are no classes.
constexpr std::array<std::string_view, 4> kClassTasks{"sequence_classification", "token_classification", "masked_lm",
                                                      "causal_lm"};

std::string why_none(const CaseRecord& the_case) {
  if (const auto failure = reference_failure(the_case)) return "no reference: " + *failure;
  if (const auto absent = text_of_path(the_case.effective, {"reference", "absent"})) return "no reference: " + *absent;
  return "the outputs were not compared with a reference";
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

std::vector<MetricRow> divergence_metrics(const CaseRecord& the_case,
                                          const std::vector<const ReplicateRecord*>& replicates) {
  const RowTitle rms{"divergence", "value"};
  const RowTitle largest{"divergence_max", "value"};
  const RowTitle agreement{"top1_agreement", "ratio"};
  const ReplicateRecord* replicate = compared_replicate(replicates);
  if (replicate == nullptr) {
    const std::string why = why_none(the_case);
    return {missing_row(rms, why), missing_row(largest, why), missing_row(agreement, why)};
  }
  const auto inputs = scalar_of(*replicate, "compared_inputs");
  const double n = inputs && is_count(*inputs) ? *inputs : 0;
  const auto rows = scalar_of(*replicate, "compared_rows");
  const auto agreed = scalar_of(*replicate, "agreed_rows");
  const auto task = text_of_path(the_case.requested, {"task"});
  const bool has_classes = !task || std::find(kClassTasks.begin(), kClassTasks.end(), *task) != kClassTasks.end();
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
  const auto precision = text_of_path(the_case.requested, {"precision"});
  if (!divergence || !precision) return "";
  auto tolerance = divergence_tolerance(*precision);
  const bool is_seeded = flag_of_path(the_case.effective, {"model", "trained"}) == false;
  if (tolerance && is_seeded) *tolerance = std::min(kSeededFactor * *tolerance, kSeededCap);
  if (!tolerance || *divergence <= *tolerance) return "";
  const bool is_unmasked = text_of_path(the_case.effective, {"attention_mask"}) == std::optional<std::string>("off");
  return fmt::format(
      "the outputs diverge from the reference by {0:.3g} of its spread; allowed for {2}{3}: {1:.3g}{4}", *divergence,
      *tolerance, *precision, is_seeded ? " with seeded weights" : "",
      is_unmasked ? "; without an attention mask tokens attend to padding, which changes the outputs" : "");
}

std::optional<std::string> reference_failure(const CaseRecord& the_case) {
  return text_of_path(the_case.effective, {"reference", "failed"});
}

}  // namespace transformeter
