#include "doctor/products.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

using enum CheckLevel;

constexpr const char* kProductsWhy =
    "engine fast tries them for each size of product while it loads a model; engine pytorch has LibTorch's plain one";

// Of trials and of peaks.
std::string words_of(std::string_view kernel) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames{
      {{"linear", "LibTorch's plain"},
       {"widened", "LibTorch's in fp32"},
       {"widened_onednn", "oneDNN's in fp32"},
       {"onednn", "oneDNN's"},
       {"linear_prepacked", "oneDNN's packed"},
       {"onednn_prepacked", "oneDNN's packed"},
       {"linear_mkl_prepacked", "MKL's packed"},
       {"mkl_prepacked", "MKL's packed"}}};
  const auto* known = std::find_if(kNames.begin(), kNames.end(), [&](const auto& one) { return one.first == kernel; });
  return std::string(known == kNames.end() ? kernel : known->second);
}

double seconds_of(const ProductChoice& choice, std::string_view kernel) {
  const auto found = std::find_if(choice.trials.begin(), choice.trials.end(),
                                  [&](const KernelTrial& trial) { return trial.name == kernel; });
  return found == choice.trials.end() ? 0 : found->seconds;
}

struct Standing {
  std::size_t tried = 0;
  std::size_t chosen = 0;
  std::vector<double> behind;  // where another was chosen: its time ÷ that one's
};

std::map<std::string, Standing> standings_of(const std::vector<ProductChoice>& kept, std::string_view precision) {
  std::map<std::string, Standing> standings;
  for (const ProductChoice& choice : kept) {
    if (choice.size.precision != precision) continue;
    const double best = seconds_of(choice, choice.kernel);
    for (const KernelTrial& trial : choice.trials) {
      if (!trial.refusal.empty() || best <= 0) continue;
      Standing& standing = standings[trial.name];
      ++standing.tried;
      if (trial.name == choice.kernel) {
        ++standing.chosen;
      } else {
        standing.behind.push_back(std::max(1.0, trial.seconds / best));  // a usual kernel is kept for 3 %
      }
    }
  }
  return standings;
}

// Empty where none was tried.
std::string standings_text(const std::vector<ProductChoice>& kept, std::string_view precision) {
  const std::map<std::string, Standing> standings = standings_of(kept, precision);
  std::vector<std::pair<std::string, Standing>> ranked(standings.begin(), standings.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& left, const auto& right) { return left.second.chosen > right.second.chosen; });
  std::vector<std::string> parts;
  for (auto& [kernel, standing] : ranked) {
    std::string part =
        fmt::format("{} chosen for {} of {}", words_of(kernel), standing.chosen, counted(standing.tried, "size"));
    if (const auto behind = median_of(std::move(standing.behind))) {
      part += fmt::format(", else {:.2f} times as long (median)", *behind);
    }
    parts.push_back(std::move(part));
  }
  return parts.empty() ? "" : fmt::format("{}: {}", precision, fmt::join(parts, "; "));
}

}  // namespace

std::vector<ProductChoice> latest_products(const ProductsByRuntime& kept) {
  const std::vector<ProductChoice>* latest = nullptr;
  for (const auto& [runtime, choices] : kept) {
    if (choices.empty()) continue;
    if (latest == nullptr || choices.back().tried_at > latest->back().tried_at) latest = &choices;
  }
  return latest == nullptr ? std::vector<ProductChoice>{} : *latest;
}

Check check_products(const std::vector<ProductChoice>& kept) {
  std::vector<std::string> texts;
  for (const std::string_view precision : {"fp32", "bf16"}) {
    if (std::string text = standings_text(kept, precision); !text.empty()) texts.push_back(std::move(text));
  }
  const std::string state = texts.empty() ? "no kernels tried yet" : fmt::format("{}", fmt::join(texts, ". "));
  return {kOk, "matrix products", state, kProductsWhy, ""};
}

Check judge_products(const Peak& peak, int threads) {
  if (!peak.best)
    return {kLimited, "products fp32", "not measured: " + peak.reason, kProductsWhy, "fix the worker first"};
  std::map<std::string, double> rates;  // the best of each kernel
  for (const PeakPoint& point : peak.points) {
    double& rate = rates[point.kernel];
    rate = std::max(rate, point.rate);
  }
  std::vector<std::pair<double, std::string>> slower;  // how many times
  for (const auto& [kernel, rate] : rates) {
    if (kernel != peak.best->kernel) slower.emplace_back(peak.best->rate / rate, words_of(kernel));
  }
  std::sort(slower.begin(), slower.end());
  std::string state =
      fmt::format("{} {} with {}", words_of(peak.best->kernel), peak_rate_text(peak.best->rate, peak.quantity),
                  counted(static_cast<std::size_t>(threads), "thread"));
  for (const auto& [times, other] : slower) state += fmt::format("; {} {:.2f} times slower", other, times);
  return {kOk, "products fp32", state, kProductsWhy, ""};
}

}  // namespace transformeter
