// Reading one component of a tokenizer.json: an object with a type, whose every member must be understood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "tokenizers/regex.h"

namespace transformeter {

class ComponentJson {
 public:
  /// `json` outlives this object. Throws Error(kBadInput) unless it is an object with a type; `where` names it.
  ComponentJson(const Json& json, std::string where);

  const std::string& type() const { return type_; }
  const std::string& where() const { return where_; }
  /// Throws Error(kBadInput) when there is a member beside "type" that is not among `names`: it might change the
  /// result.
  void allow(const std::vector<std::string>& names) const;

  /// The member; `fallback` when it is absent or null. Throws Error(kBadInput) when it has another type.
  bool boolean(const char* name, bool fallback) const;
  std::string string(const char* name, const std::string& fallback) const;
  std::optional<std::string> optional_string(const char* name) const;
  std::optional<bool> optional_boolean(const char* name) const;
  std::optional<std::int32_t> optional_id(const char* name) const;  // a token id, or a count in its range
  const Json& optional(const char* name) const;
  /// The member, which must be there. Throws Error(kBadInput).
  bool boolean(const char* name) const;
  std::string string(const char* name) const;
  const Json& array(const char* name) const;
  const Json& member(const char* name) const;

  /// "WHERE: MESSAGE".
  Error bad(const std::string& message) const;
  /// For a type that is none of `known`.
  Error unknown_type(const std::vector<std::string>& known) const;

 private:
  const Json* find(const char* name) const;

  const Json& json_;
  std::string where_;
  std::string type_;
};

/// The member "pattern": {"Regex": "…"}, or {"String": "…"} for a literal text.
Regex make_pattern(const ComponentJson& json);

}  // namespace transformeter
