// Names what runs for the profiler: modules as the checkpoint has them, and what part of a model they are. Without a
// profiler a scope only looks whether there is one.
#pragma once

#include <ATen/record_function.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/profile.h"

namespace transformeter {

/// While it lives, what this thread runs belongs to the module; scopes nest.
class ModuleScope {
 public:
  /// `name` must outlive the scope; empty: no scope.
  explicit ModuleScope(std::string_view name) {
    auto observers = at::getStepCallbacksUnlessEmpty(at::RecordScope::USER_SCOPE);
    if (!observers || name.empty()) return;
    record_.emplace(*std::move(observers));
    record_->before(name, c10::ArrayRef<const c10::IValue>());
  }

 private:
  std::optional<at::RecordFunction> record_;
};

/// Likewise to the phase; the outermost counts.
class PhaseScope {
 public:
  explicit PhaseScope(ProfilePhase phase);

 private:
  ModuleScope scope_;
};

/// The phase of a scope with that name; nothing: it is a module's.
std::optional<ProfilePhase> phase_of_scope(std::string_view name);

/// Around a whole forward pass, and around the time in which streams compute chunks of it.
inline constexpr std::string_view kPassScope = "forward pass";
inline constexpr std::string_view kStreamsScope = "streams";

/// "a.b.weight" to "a.b".
std::string module_of(const std::string& tensor);
/// The innermost module that holds all of these: of "a.b.c" and "a.b.d" "a.b". Empty where there is none. Names that
/// are empty do not count.
std::string common_module(const std::vector<std::string>& modules);
/// Of a product: its own module; of joined ones "a.b.{q,k,v}".
std::string joined_module(const std::vector<std::string>& modules);

}  // namespace transformeter
