// Names what runs for the profiler: modules as the checkpoint has them, and what part of a model they are. Without a
// profiler a scope only looks whether there is one.
#pragma once

#include <ATen/SequenceNumber.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/profile.h"

namespace transformeter {

inline constexpr std::int64_t kNoGraphNode = -1;

/// The number that the next node of this thread's autograd graph will have; kNoGraphNode where no graph is made.
/// Between the numbers at its beginning and at its end lie the nodes that a scope made, whose backward passes are the
/// module's.
inline std::int64_t next_graph_node() {
  return at::GradMode::is_enabled() ? static_cast<std::int64_t>(at::sequence_number::peek()) : kNoGraphNode;
}

/// While it lives, what this thread runs belongs to the module; scopes nest.
class ModuleScope {
 public:
  /// `name` must outlive the scope; empty: no scope.
  explicit ModuleScope(std::string_view name) {
    auto observers = at::getStepCallbacksUnlessEmpty(at::RecordScope::USER_SCOPE);
    if (!observers || name.empty()) return;
    record_.emplace(*std::move(observers));
    record_->before(name, c10::ArrayRef<const c10::IValue>(), next_graph_node());
  }
  ~ModuleScope() {
    if (record_ && at::GradMode::is_enabled()) mark_end();
  }
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

 private:
  /// A record tells nothing new when it ends, so that another one has to.
  static void mark_end();

  std::optional<at::RecordFunction> record_;
};

/// Likewise to the phase; the outermost counts.
class PhaseScope {
 public:
  explicit PhaseScope(ProfilePhase phase);

 private:
  ModuleScope scope_;
};

/// Likewise to the stage of a training step or a request.
class StageScope {
 public:
  explicit StageScope(ProfileStage stage);

 private:
  ModuleScope scope_;
};

/// The phase, or the stage, of a scope with that name; nothing: it is a module's.
std::optional<ProfilePhase> phase_of_scope(std::string_view name);
std::optional<ProfileStage> stage_of_scope(std::string_view name);

/// Around a whole forward pass, training step or request.
inline constexpr std::string_view kPassScope = "whole: forward pass";
inline constexpr std::string_view kStepScope = "whole: training step";
inline constexpr std::string_view kRequestScope = "whole: request";
/// "forward pass" of such a scope; nothing for another.
std::optional<std::string_view> pass_of_scope(std::string_view name);
/// Around the time in which streams compute chunks of a pass.
inline constexpr std::string_view kStreamsScope = "streams";
/// Within a scope, at its end.
inline constexpr std::string_view kEndScope = "end of scope";

/// "a.b.weight" to "a.b".
std::string module_of(const std::string& tensor);
/// The innermost module that holds all of these: of "a.b.c" and "a.b.d" "a.b". Empty where there is none. Names that
/// are empty do not count.
std::string common_module(const std::vector<std::string>& modules);
/// Of a product: its own module; of joined ones "a.b.{q,k,v}".
std::string joined_module(const std::vector<std::string>& modules);

}  // namespace transformeter
