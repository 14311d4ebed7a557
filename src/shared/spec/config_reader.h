// Typed, checked access to the keys of a config.json, which remembers what was asked for: a key nobody asked for may
// change the maths, and the family says whether it does.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "spec/blueprint.h"

namespace transformeter {

// Bounds beyond reason: the largest published models stay 10 times below each, and products of any three fit int64.
inline constexpr std::int64_t kMaxVocabulary = 10'000'000;
inline constexpr std::int64_t kMaxWidth = 1 << 20;
inline constexpr std::int64_t kMaxLayers = 10'000;
inline constexpr std::int64_t kMaxPositions = 1'000'000'000;
inline constexpr std::int64_t kMaxLabels = 1'000'000;
inline constexpr std::int64_t kMaxImageSide = 1 << 14;  // pixels

/// The first of its names in Transformers.
std::string_view activation_name(Activation activation);

/// null reads as missing, as Transformers writes an unset key. All values that do not fit are Error(kBadInput) naming
/// the file, the key, the value and what is allowed.
class ConfigReader {
 public:
  /// `json` outlives the reader; `what` names the file in errors. Throws Error(kBadInput) for no object.
  ConfigReader(const Json& json, std::string_view what);

  const Json* find(std::string_view key) const;
  /// Whether the key is there, be it null.
  bool has(std::string_view key) const { return json_.contains(key); }
  std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t low, std::int64_t high) const;
  /// A size: from 1 to kMaxWidth.
  std::int64_t size(std::string_view key, std::int64_t fallback) const { return integer(key, fallback, 1, kMaxWidth); }
  /// From 0 to `high`.
  double number(std::string_view key, double fallback, double high) const;
  bool flag(std::string_view key, bool fallback) const;
  std::string text(std::string_view key, const std::string& fallback) const;
  Activation activation(std::string_view key, const std::string& fallback) const;
  std::vector<double> numbers(std::string_view key) const;

  /// Throws Error(kUnsupported) unless the flag has the value that is computed here; missing counts as that value.
  void require(std::string_view key, bool computed, std::string_view reason) const;
  /// Keys that do not change what a model computes when it is not trained.
  void ignore(std::initializer_list<std::string_view> keys) const;
  /// What was taken for keys that were asked for and are not there, by key: what the file might as well have said. Not
  /// of a key for which different places took different values, where the last one knows better.
  Json taken_defaults() const;
  /// Keys that nobody asked for, but null ones, what Transformers writes into any file and those that begin with "_".
  std::vector<std::string> unknown_keys() const;

  Error bad(std::string_view key, const Json& value, std::string_view expected) const;
  Error unsupported(std::string_view key, const Json& value, std::string_view reason) const;
  std::string field(std::string_view key) const;
  const std::string& what() const { return what_; }

 private:
  void note_default(std::string_view key, const Json& value) const;

  const Json& json_;
  std::string what_;
  mutable std::set<std::string, std::less<>> known_;
  mutable std::map<std::string, std::set<Json>, std::less<>> defaults_;
};

}  // namespace transformeter
