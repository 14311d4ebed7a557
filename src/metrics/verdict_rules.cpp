// The rules of samples and of what ran; machine_rules.cpp and verdict_notes.cpp hold the others.
#include "metrics/verdict_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "metrics/case_settings.h"
#include "metrics/divergence_metrics.h"
#include "metrics/latency_metrics.h"
#include "metrics/linear_type_rule.h"
#include "metrics/scalar_metrics.h"
#include "stats/estimate.h"

namespace transformeter {
namespace {

// "sdpa" leaves the choice to LibTorch; what it must not become is the hand-written kernel, or no attention at all.
bool is_kernel_of(std::string_view asked, std::string_view ran) {
  if (asked != "sdpa") return ran == asked;
  return ran != "eager" && ran != "none";
}

// "cuda" is answered by "cuda:0".
bool is_device_of(std::string_view asked, std::string_view ran) {
  return ran == asked ||
         (ran.size() > asked.size() && ran.substr(0, asked.size()) == asked && ran[asked.size()] == ':');
}

struct ExecutionRule {
  const char* reason;
  const char* requested;  // key in `requested`
  const char* effective;  // key in `effective`
  bool (*fits)(std::string_view asked, std::string_view ran);
};

constexpr ExecutionRule kExecutionRules[] = {
    {"wrong_kernel", "attention", "attention_kernel", &is_kernel_of},
    {"wrong_kernel", "attention", "attention_kernel_prefill", &is_kernel_of},
    {"wrong_kernel", "attention", "attention_kernel_decode", &is_kernel_of},
    {"wrong_precision", "precision", "precision",
     [](std::string_view asked, std::string_view ran) { return asked == ran; }},
    {"device_fallback", "device", "device", &is_device_of},
};

// A reason comes once: where the precision read back is another one, it is said already.
void judge_linear_types(const VerdictInput& input, Verdict& verdict) {
  const bool is_known = std::any_of(verdict.reasons.begin(), verdict.reasons.end(),
                                    [](const Finding& finding) { return finding.name == "wrong_precision"; });
  if (is_known) return;
  const std::string text = wrong_linear_types(input.the_case);
  if (!text.empty()) verdict.add_reason("wrong_precision", text);
}

}  // namespace

std::string join_details(const VerdictInput& input, const std::vector<std::string>& details) {
  std::string text;
  for (std::size_t i = 0; i < details.size(); ++i) {
    if (details[i].empty()) continue;
    if (!text.empty()) text += "; ";
    if (input.the_case.replicates.size() > 1) text += fmt::format("replicate {}: ", input.replicates[i]->index);
    text += details[i];
  }
  return text;
}

std::optional<double> headline_half_width(const std::vector<MetricRow>& metrics) {
  const MetricRow* row = headline(metrics);
  if (row == nullptr || !row->value || !row->low || !row->high) return std::nullopt;
  return relative_half_width(Estimate{*row->value, Interval{*row->low, *row->high}, row->n});
}

void judge_samples(const VerdictInput& input, Verdict& verdict) {
  std::vector<std::string> problems;
  std::vector<std::string> drifting;
  for (const SampleWindow& window : input.windows) {
    problems.push_back(window.problem);
    drifting.push_back(window.drift ? window.problem : "");
  }
  std::string why = join_details(input, problems);
  const MetricRow* row = headline(input.metrics);
  const auto half_width = headline_half_width(input.metrics);
  if (half_width && *half_width > kMaxHalfWidth) {
    if (!why.empty()) why += "; ";
    why += fmt::format("the {1} {2} has an interval of ± {0:.1f} %, wider than ± {3:.0f} %", 100 * *half_width,
                       row->statistic, row->name, 100 * kMaxHalfWidth);
  } else if (!half_width && why.empty()) {
    why = fmt::format("no interval for the {} {} from {} samples: {}", row->statistic, row->name, row->n,
                      row->low ? "the value is 0" : row->reason);
  }
  if (!why.empty()) verdict.add_reason("not_converged", why);
  if (const std::string text = join_details(input, drifting); !text.empty()) verdict.add_reason("drift", text);
}

void judge_execution(const VerdictInput& input, Verdict& verdict) {
  std::vector<std::string> numerics;
  for (const ReplicateRecord* replicate : input.replicates) {
    const double count = scalar_of(*replicate, "non_finite_outputs").value_or(0);
    numerics.push_back(count > 0 ? fmt::format("{:.0f} outputs are NaN or infinite", count)
                                 : excessive_divergence(input.the_case, *replicate));
  }
  if (const std::string text = join_details(input, numerics); !text.empty()) verdict.add_reason("numerics", text);
  for (const ExecutionRule& rule : kExecutionRules) {
    const auto asked = text_of_path(input.the_case.requested, {rule.requested});
    const auto ran = text_of_path(input.the_case.effective, {rule.effective});
    if (!asked || !ran || *asked == "auto" || rule.fits(*asked, *ran)) continue;
    verdict.add_reason(rule.reason, fmt::format("requested {} '{}', ran '{}'", rule.requested, *asked, *ran));
  }
  judge_linear_types(input, verdict);
}

}  // namespace transformeter
