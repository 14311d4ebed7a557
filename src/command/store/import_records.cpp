// Fields are taken out one by one, so that what is left is what nobody knows.
#include "store/import_records.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

Error bad_field(std::string_view name, std::string_view wanted) {
  return Error(ErrorKind::kBadInput, fmt::format("field '{}': {}", name, wanted));
}

template <typename T>
T whole_field(const Json& value, std::string_view name) {
  if (const auto number = whole_number<T>(value)) return *number;
  throw bad_field(name, fmt::format("expected a whole number from {} to {}", std::numeric_limits<T>::min(),
                                    std::numeric_limits<T>::max()));
}

std::optional<double> special_number(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::string_view kBits = "NaN:";
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (!text.starts_with(kBits)) return std::nullopt;
  text.remove_prefix(kBits.size());
  std::uint64_t bits = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  const double value = std::bit_cast<double>(bits);
  if (code != std::errc() || end != text.data() + text.size() || value == value) return std::nullopt;
  return value;
}

double sample_of(const Json& value, std::string_view name) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    if (const auto special = special_number(value.get_ref<const std::string&>())) return *special;
  }
  throw bad_field(name, "expected numbers or the strings NaN, NaN:HEX, Infinity and -Infinity");
}

// Owns an object and gives its fields away.
class Fields {
 public:
  explicit Fields(Json object) : object_(std::move(object)) {
    if (!object_.is_object()) throw Error(ErrorKind::kBadInput, "expected an object");
  }

  Json take(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end()) throw bad_field(name, "is missing");
    Json value = std::move(*found);
    object_.erase(found);
    return value;
  }
  std::string text(const char* name) {
    const Json value = take(name);
    if (!value.is_string()) throw bad_field(name, "expected a string");
    return value.get<std::string>();
  }
  std::optional<std::string> optional_text(const char* name) {
    return object_.contains(name) ? std::optional(text(name)) : std::nullopt;
  }
  std::string id(const char* name) {
    std::string value = text(name);
    if (value.empty()) throw bad_field(name, "must not be empty");
    return value;
  }
  int number(const char* name, int least) {
    const int value = whole_field<int>(take(name), name);
    if (value < least) throw bad_field(name, fmt::format("expected at least {}, not {}", least, value));
    return value;
  }
  std::size_t count(const char* name) { return whole_field<std::size_t>(take(name), name); }
  Json document(const char* name) {
    Json value = take(name);
    if (!value.is_object()) throw bad_field(name, "expected an object");
    return value;
  }
  std::optional<Status> status(const char* name) {
    const Json value = take(name);
    if (value.is_null()) return std::nullopt;
    if (!value.is_string()) throw bad_field(name, "expected a string or null");
    return status_from_name(value.get_ref<const std::string&>());
  }
  /// A column may be left out; `length` is wanted of one that is there.
  template <typename T>
  std::vector<T> column(const char* name, std::optional<std::size_t> length) {
    std::vector<T> values;
    if (!object_.contains(name)) return values;
    const Json list = take(name);
    if (!list.is_array()) throw bad_field(name, "expected a list");
    if (length && list.size() != *length) {
      throw bad_field(name, fmt::format("has {} elements, and 'value' has {}", list.size(), *length));
    }
    values.reserve(list.size());
    for (const Json& element : list) {
      if constexpr (std::is_floating_point_v<T>) {
        values.push_back(sample_of(element, name));
      } else {
        values.push_back(whole_field<T>(element, name));
      }
    }
    return values;
  }
  void finish() const {
    if (!object_.empty()) throw bad_field(object_.begin().key(), "is unknown");
  }

 private:
  Json object_;
};

Series imported_series(Json object) {
  Fields fields(std::move(object));
  Series series;
  series.name = fields.id("name");
  series.unit = fields.text("unit");
  series.rank = fields.number("rank", 0);
  series.value = fields.column<double>("value", std::nullopt);
  const std::size_t length = series.value.size();
  series.start_s = fields.column<double>("start_s", length);
  series.index = fields.column<std::int64_t>("index", length);
  series.examples = fields.column<std::int64_t>("examples", length);
  series.useful_tokens = fields.column<std::int64_t>("useful_tokens", length);
  series.processed_tokens = fields.column<std::int64_t>("processed_tokens", length);
  series.flags = fields.column<std::uint32_t>("flags", length);
  fields.finish();
  return series;
}

}  // namespace

RunRecord imported_run(Json object) {
  Fields fields(std::move(object));
  RunRecord run;
  run.id = fields.id("id");
  run.name = fields.text("name");
  run.started_at = fields.text("started_at");
  run.replicates_planned = fields.number("replicates_planned", 0);
  run.host = fields.document("host");
  run.settings = fields.document("settings");
  if (const auto role = fields.optional_text("role")) run.role = run_role_from_name(*role);
  fields.finish();
  return run;
}

ImportedCase imported_case(Json object) {
  Fields fields(std::move(object));
  ImportedCase imported;
  imported.run = fields.id("run");
  CaseRecord& one = imported.record;
  one.id = fields.id("id");
  one.position = fields.number("position", 0);
  one.plan_key = fields.text("plan_key");
  one.key = fields.text("key");
  one.workload_key = fields.text("workload_key");
  one.requested = fields.document("requested");
  one.effective = fields.document("effective");
  one.launch = fields.document("launch");
  one.status = fields.status("status");
  one.status_reason = fields.text("status_reason");
  fields.finish();
  return imported;
}

ImportedReplicate imported_replicate(Json object) {
  Fields fields(std::move(object));
  ImportedReplicate imported;
  imported.run = fields.id("run");
  imported.the_case = fields.id("case");
  ReplicateRecord& replicate = imported.record;
  replicate.index = fields.number("index", 0);
  replicate.started_at = fields.text("started_at");
  replicate.ranks = fields.number("ranks", 0);
  const std::optional<Status> status = fields.status("status");
  if (!status) throw bad_field("status", "a replicate must have one");
  replicate.status = *status;
  replicate.status_reason = fields.text("status_reason");
  Json list = fields.take("series");
  if (!list.is_array()) throw bad_field("series", "expected a list");
  for (Json& element : list) replicate.series.push_back(imported_series(std::move(element)));
  fields.finish();
  return imported;
}

ExportCount imported_end(Json object) {
  Fields fields(std::move(object));
  ExportCount count;
  count.runs = fields.count("runs");
  count.cases = fields.count("cases");
  count.replicates = fields.count("replicates");
  fields.finish();
  return count;
}

void check_header(Json object) {
  const bool is_ours = object.is_object() && object.value("format", Json()) == Json(kExportFormat);
  if (!is_ours) {
    throw Error(ErrorKind::kBadInput, fmt::format("not an export; the first line of an export is {}",
                                                  std::string_view(header_line()).substr(0, header_line().size() - 1)));
  }
  Fields fields(std::move(object));
  fields.take("format");
  const int version = fields.number("schema_version", 1);
  if (version > kExportSchemaVersion) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("the export has schema version {}, this program supports up to {}; use a newer transformeter",
                    version, kExportSchemaVersion));
  }
  fields.finish();
}

}  // namespace transformeter
