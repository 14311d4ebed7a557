// Makers of components by the type names of tokenizer.json.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/component_json.h"

namespace transformeter {

template <typename Component>
struct ComponentMaker {
  std::string_view type;
  std::unique_ptr<const Component> (*make)(const ComponentJson&);
};

/// What `json` describes. Throws Error(kBadInput) that begins with `where` and lists the known types for another one.
template <typename Component>
std::unique_ptr<const Component> make_component(std::span<const ComponentMaker<Component>> makers, const Json& json,
                                                const std::string& where) {
  const ComponentJson component(json, where);
  std::vector<std::string> known;
  for (const ComponentMaker<Component>& maker : makers) {
    if (maker.type == component.type()) return maker.make(component);
    known.emplace_back(maker.type);
  }
  throw component.unknown_type(known);
}

}  // namespace transformeter
