// Passes, phases and stages are told from modules by prefixes that no checkpoint has.
#include "model/profile_scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>

#include "base/text.h"

namespace transformeter {
namespace {

// As the phases are ordered; whole, because a scope borrows its name.
constexpr std::array<std::string_view, kProfilePhaseNames.size()> kScopes{
    "phase: embedding", "phase: attention", "phase: feed_forward", "phase: norm", "phase: head", "phase: loss"};
constexpr std::string_view kPrefix = "phase: ";
constexpr std::array<std::string_view, kProfileStageNames.size()> kStageScopes{
    "stage: data", "stage: forward", "stage: backward", "stage: optimizer", "stage: prefill", "stage: decode"};
constexpr std::string_view kStagePrefix = "stage: ";
constexpr std::string_view kPassPrefix = "whole: ";

}  // namespace

void ModuleScope::mark_end() {
  auto observers = at::getStepCallbacksUnlessEmpty(at::RecordScope::USER_SCOPE);
  if (!observers) return;
  at::RecordFunction record(*std::move(observers));
  record.before(kEndScope, c10::ArrayRef<const c10::IValue>(), next_graph_node());
}

PhaseScope::PhaseScope(ProfilePhase phase) : scope_(kScopes.at(static_cast<std::size_t>(phase))) {}

StageScope::StageScope(ProfileStage stage) : scope_(kStageScopes.at(static_cast<std::size_t>(stage))) {}

std::optional<ProfilePhase> phase_of_scope(std::string_view name) {
  return name.starts_with(kPrefix) ? profile_phase_from_name(name.substr(kPrefix.size())) : std::nullopt;
}

std::optional<ProfileStage> stage_of_scope(std::string_view name) {
  return name.starts_with(kStagePrefix) ? profile_stage_from_name(name.substr(kStagePrefix.size())) : std::nullopt;
}

std::optional<std::string_view> pass_of_scope(std::string_view name) {
  return name.starts_with(kPassPrefix) ? std::optional(name.substr(kPassPrefix.size())) : std::nullopt;
}

std::string module_of(const std::string& tensor) {
  const std::size_t dot = tensor.rfind('.');
  return dot == std::string::npos ? tensor : tensor.substr(0, dot);
}

std::string common_module(const std::vector<std::string>& modules) {
  std::optional<std::vector<std::string>> common;
  for (const std::string& module : modules) {
    if (module.empty()) continue;
    const std::vector<std::string> parts = split(module, '.');
    if (!common) {
      common = parts;
      continue;
    }
    std::size_t same = 0;
    while (same < common->size() && same < parts.size() && (*common)[same] == parts[same]) ++same;
    common->resize(same);
  }
  return common ? fmt::format("{}", fmt::join(*common, ".")) : "";
}

std::string joined_module(const std::vector<std::string>& modules) {
  if (modules.size() == 1) return modules.front();
  const std::string common = common_module(modules);
  std::vector<std::string> rests;
  for (const std::string& module : modules) rests.push_back(common.empty() ? module : module.substr(common.size() + 1));
  return fmt::format("{}{}{{{}}}", common, common.empty() ? "" : ".", fmt::join(rests, ","));
}

}  // namespace transformeter
