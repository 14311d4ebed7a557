// Names the nodes of a graph after modules while it is drawn, and knows by its name where a node belongs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/node_counters.h"
#include "schema/profile.h"

namespace transformeter {

class GraphScopes {
 public:
  /// While it lives, nodes are named in a scope.
  class Inside {
   public:
    ~Inside() { scopes_.current_ = outer_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    friend class GraphScopes;
    Inside(GraphScopes& scopes, std::size_t outer) : scopes_(scopes), outer_(outer) {}

    GraphScopes& scopes_;
    std::size_t outer_;
  };

  /// Within the scope at hand; `module` empty: that of the scope at hand. Of nested phases the outermost counts.
  [[nodiscard]] Inside enter(const std::string& module, std::optional<ProfilePhase> phase = std::nullopt);
  /// One that no other node has: "a.b.q_lin/MatMul_12".
  std::string name_node(std::string_view op);

  /// Of a node by such a name, also with what a library's optimizer adds to it ("fused a.b/MatMul_1/MatMulAddFusion").
  /// Of graphs that were not drawn here, the modules in names that PyTorch's exporters give: "/a/b.0/c/MatMul",
  /// "__module.a.b.0.c/aten::linear/MatMul". The root, 0, where the name tells no module.
  std::size_t scope_of(const std::string& node);
  /// Of a node that stands for all of these: the innermost scope that holds the others; else one for all of their
  /// modules, as model/profile_scope.h joins names.
  std::size_t scope_of_all(const std::vector<std::string>& nodes);

  /// The root first.
  const std::vector<ModelScope>& scopes() const { return scopes_; }

 private:
  std::size_t add(std::size_t parent, const std::string& module, std::optional<ProfilePhase> phase);
  std::size_t named_scope(std::size_t parent, const std::string& module);
  std::size_t scope_of_modules(const std::vector<std::string>& path);
  std::vector<std::size_t> around(std::size_t scope) const;
  /// The scope's own module, or that around it.
  const std::string& module_of_scope(std::size_t scope) const;

  std::vector<ModelScope> scopes_{ModelScope()};
  std::size_t current_ = 0;
  std::size_t count_ = 0;
  std::unordered_map<std::string, std::size_t> nodes_;  // scopes by names that were given
  std::unordered_map<std::string, std::size_t> named_;  // by parent and module, made of names
};

}  // namespace transformeter
