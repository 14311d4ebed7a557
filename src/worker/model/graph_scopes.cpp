// A name that was given is looked up whole, then without its last parts, which an optimizer may have added.
#include "model/graph_scopes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "model/profile_scope.h"

namespace transformeter {
namespace {

// Of a fusion of a product with what follows it, by ONNX Runtime.
constexpr std::string_view kFused = "fused ";
// The last parts of the names that its fusions give: "/a/MatMul/MatMulAddFusion", "/a/Mul/LayerNormFusion/".
constexpr std::string_view kFusion = "Fusion";
// Of OpenVINO's reader of PyTorch models.
constexpr std::string_view kTracedModule = "__module.";

// Modules, outermost first: "a", "a.b", "a.b.c" of "/a/b/c/MatMul".
std::vector<std::string> modules_of_path(const std::string& name) {
  std::vector<std::string> parts = split(name.substr(1), '/');
  while (!parts.empty() && (parts.back().empty() || parts.back().ends_with(kFusion))) parts.pop_back();
  if (!parts.empty()) parts.pop_back();  // the operator
  std::vector<std::string> modules;
  for (const std::string& part : parts) {
    if (!part.empty()) modules.push_back(modules.empty() ? part : modules.back() + "." + part);
  }
  return modules;
}

}  // namespace

std::size_t GraphScopes::add(std::size_t parent, const std::string& module, std::optional<ProfilePhase> phase) {
  const std::optional<ProfilePhase> outer = scopes_[parent].phase;
  scopes_.push_back({parent, module, outer ? outer : phase});
  return scopes_.size() - 1;
}

GraphScopes::Inside GraphScopes::enter(const std::string& module, std::optional<ProfilePhase> phase) {
  const std::size_t scope = add(current_, module, phase);
  return {*this, std::exchange(current_, scope)};
}

std::string GraphScopes::name_node(std::string_view op) {
  const std::string& module = module_of_scope(current_);
  std::string name = fmt::format("{}{}{}_{}", module, module.empty() ? "" : "/", op, ++count_);
  nodes_[name] = current_;
  return name;
}

const std::string& GraphScopes::module_of_scope(std::size_t scope) const {
  while (scope != 0 && scopes_[scope].module.empty()) scope = scopes_[scope].parent;
  return scopes_[scope].module;
}

std::size_t GraphScopes::named_scope(std::size_t parent, const std::string& module) {
  const auto [place, is_new] = named_.try_emplace(fmt::format("{} {}", parent, module), scopes_.size());
  return is_new ? add(parent, module, std::nullopt) : place->second;
}

std::size_t GraphScopes::scope_of_modules(const std::vector<std::string>& path) {
  std::size_t scope = 0;
  for (const std::string& module : path) scope = named_scope(scope, module);
  return scope;
}

std::size_t GraphScopes::scope_of(const std::string& node) {
  std::string name = node.starts_with(kFused) ? node.substr(kFused.size()) : node;
  if (name.starts_with('/')) return scope_of_modules(modules_of_path(name));
  if (name.starts_with(kTracedModule)) {
    const std::string module = name.substr(0, name.find('/')).substr(kTracedModule.size());
    return module.empty() ? 0 : scope_of_modules({module});
  }
  for (;;) {
    if (const auto found = nodes_.find(name); found != nodes_.end()) return found->second;
    const std::size_t end = name.rfind('/');
    if (end == std::string::npos) return 0;
    name.resize(end);
  }
}

std::vector<std::size_t> GraphScopes::around(std::size_t scope) const {
  std::vector<std::size_t> all{scope};
  while (all.back() != 0) all.push_back(scopes_[all.back()].parent);
  std::reverse(all.begin(), all.end());
  return all;
}

std::size_t GraphScopes::scope_of_all(const std::vector<std::string>& nodes) {
  std::set<std::size_t> found;
  for (const std::string& node : nodes) {
    if (const std::size_t scope = scope_of(node); scope != 0) found.insert(scope);
  }
  if (found.empty()) return 0;
  std::vector<std::size_t> common = around(*found.begin());
  for (const std::size_t scope : found) {
    const std::vector<std::size_t> other = around(scope);
    const auto end = std::mismatch(common.begin(), common.end(), other.begin(), other.end()).first;
    common.erase(end, common.end());
  }
  const std::size_t outer = common.back();
  if (found.contains(outer)) return outer;
  std::vector<std::string> modules;
  for (const std::size_t scope : found) {
    const std::string& module = module_of_scope(scope);
    if (module.empty()) continue;  // a phase of the whole model
    if (std::find(modules.begin(), modules.end(), module) == modules.end()) modules.push_back(module);
  }
  if (modules.empty()) return outer;
  const std::string shared = common_module(modules);
  const bool holds_others = std::find(modules.begin(), modules.end(), shared) != modules.end();
  const std::string name = holds_others ? shared : joined_module(modules);
  const std::size_t joined = named_scope(outer, name);
  // All of them have one phase, or none that counts for all.
  const std::optional<ProfilePhase> phase = scopes_[*found.begin()].phase;
  const bool is_one_phase =
      std::all_of(found.begin(), found.end(), [&](std::size_t scope) { return scopes_[scope].phase == phase; });
  if (is_one_phase) scopes_[joined].phase = phase;
  return joined;
}

}  // namespace transformeter
