// Every number of the header is checked before it is used: sizes with overflow, ranges against the file and each other.
#include "spec/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/json.h"

namespace transformeter {

namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the safetensors library itself
constexpr std::size_t kMaxNameBytes = 500;
constexpr int kMaxDepth = 4;  // header, tensor, shape: 3; one more for __metadata__

const std::vector<std::pair<std::string, std::uint64_t>>& dtypes() {
  static const std::vector<std::pair<std::string, std::uint64_t>> kDtypes = {
      {"F64", 8},  {"F32", 4}, {"F16", 2},     {"BF16", 2},    {"I64", 8},     {"I32", 4},
      {"I16", 2},  {"I8", 1},  {"U64", 8},     {"U32", 4},     {"U16", 2},     {"U8", 1},
      {"BOOL", 1}, {"C64", 8}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1},
  };
  return kDtypes;
}

/// A text of the file for a message: no control bytes that could steer a terminal, and not endless.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kMaxNameBytes)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  if (text.size() > kMaxNameBytes) out += "...";
  return out;
}

/// Errors that name the file, and the tensor once one is being read.
class Fault {
 public:
  explicit Fault(std::string_view what) : what_(what) {}
  Fault of(std::string_view tensor) const {
    Fault fault(what_);
    fault.tensor_ = fmt::format(": tensor '{}'", printable(tensor));
    return fault;
  }
  template <typename... Args>
  [[noreturn]] void raise(fmt::format_string<Args...> form, Args&&... args) const {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}{} {}.", what_, tensor_, fmt::format(form, std::forward<Args>(args)...)));
  }

 private:
  std::string what_;
  std::string tensor_;
};

std::uint64_t little_endian_u64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

std::string_view header_text(std::string_view file_bytes, const Fault& fault) {
  if (file_bytes.size() < kLengthBytes) {
    fault.raise("is not a safetensors file: {} bytes, but its header length alone takes 8", file_bytes.size());
  }
  const std::uint64_t length = little_endian_u64(file_bytes);
  if (length > kMaxHeaderBytes) {
    fault.raise("is not a safetensors file: its header length {} exceeds 100 MB", length);
  }
  if (length > file_bytes.size() - kLengthBytes) {
    fault.raise("is truncated: its header needs {} bytes, the file has {}", length, file_bytes.size());
  }
  return file_bytes.substr(kLengthBytes, static_cast<std::size_t>(length));
}

/// Json::parse keeps the last of two equal keys; here a repeated name is an error. Depth is limited, so that hostile
/// nesting costs nothing.
Json parse_header(std::string_view text, const Fault& fault) {
  std::vector<std::set<std::string>> keys;
  const auto callback = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth) fault.raise("has a header that is nested too deeply");
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key) {
      if (!keys.back().insert(parsed.get<std::string>()).second) {
        fault.raise("names '{}' twice in its header", printable(parsed.get<std::string>()));
      }
    }
    return true;
  };
  // The library would take it for the end of the header.
  if (text.find('\0') != text.npos) fault.raise("has a header that is not valid JSON: it contains a NUL byte");
  Json header;
  try {
    header = Json::parse(text, callback);
  } catch (const Json::exception& error) {
    fault.raise("has a header that is not valid JSON: {}", printable(json_fault(error)));
  }
  if (!header.is_object()) fault.raise("has a header that is not a JSON object");
  return header;
}

std::optional<std::uint64_t> as_unsigned(const Json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;  // negative and fractional numbers have other types
  return value.get<std::uint64_t>();
}

const Json& member(const Json& object, const char* key, const Fault& fault) {
  const auto it = object.find(key);
  if (it == object.end()) fault.raise("has no '{}'", key);
  return *it;
}

std::vector<std::int64_t> read_shape(const Json& json, const Fault& fault) {
  if (!json.is_array()) fault.raise("has a 'shape' that is not a list");
  std::vector<std::int64_t> shape;
  for (const Json& size : json) {
    const auto value = as_unsigned(size);
    if (!value || *value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fault.raise("has a size in its 'shape' that is not a whole number of at least 0: {}", canonical_json(size));
    }
    shape.push_back(static_cast<std::int64_t>(*value));
  }
  return shape;
}

/// Bytes of the data, or an error when the product does not fit. An overflow beside a 0 is refused too, as the
/// safetensors library does.
std::uint64_t data_bytes(const SafetensorsEntry& entry, const Fault& fault) {
  std::uint64_t bytes = safetensors_dtype_bytes(entry.dtype);
  for (const std::int64_t size : entry.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) {
      fault.raise("has a shape [{}] whose size overflows", fmt::join(entry.shape, ", "));
    }
  }
  return bytes;
}

SafetensorsEntry read_entry(const Json& json, std::uint64_t data_begin, std::uint64_t data_size, const Fault& fault) {
  if (!json.is_object()) fault.raise("is not described by a JSON object");
  SafetensorsEntry entry;
  const Json& dtype = member(json, "dtype", fault);
  if (!dtype.is_string()) fault.raise("has a 'dtype' that is not a string");
  entry.dtype = dtype.get<std::string>();
  const bool known = std::any_of(dtypes().begin(), dtypes().end(),
                                 [&](const auto& candidate) { return candidate.first == entry.dtype; });
  if (!known) fault.raise("has the unknown dtype '{}'", printable(entry.dtype));
  entry.shape = read_shape(member(json, "shape", fault), fault);

  const Json& offsets = member(json, "data_offsets", fault);
  if (!offsets.is_array() || offsets.size() != 2) fault.raise("has 'data_offsets' that are not a list of two numbers");
  const auto begin = as_unsigned(offsets[0]);
  const auto end = as_unsigned(offsets[1]);
  if (!begin || !end) fault.raise("has 'data_offsets' that are not whole numbers of at least 0");
  if (*begin > *end) fault.raise("starts at byte {} of the data, after its end {}", *begin, *end);
  if (*end > data_size) {
    fault.raise("is truncated: it ends at byte {} of the data, the file has {}", *end, data_size);
  }
  const std::uint64_t expected = data_bytes(entry, fault);
  if (*end - *begin != expected) {
    fault.raise("has {} bytes, but its shape [{}] of {} needs {}", *end - *begin, fmt::join(entry.shape, ", "),
                entry.dtype, expected);
  }
  entry.begin = data_begin + *begin;  // both are within the file, whose size is a size_t
  entry.end = data_begin + *end;
  return entry;
}

/// The format wants the data covered exactly once.
void check_ranges(const SafetensorsEntries& entries, std::uint64_t data_begin, std::uint64_t data_end,
                  const Fault& fault) {
  std::vector<const SafetensorsEntries::value_type*> order;
  for (const auto& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  std::uint64_t covered = data_begin;
  std::string_view before;
  for (const auto* entry : order) {
    if (entry->second.begin < covered) {
      fault.of(entry->first).raise("overlaps tensor '{}'", printable(before));
    }
    if (entry->second.begin > covered) {
      fault.of(entry->first).raise("has {} unused bytes before it", entry->second.begin - covered);
    }
    covered = entry->second.end;
    before = entry->first;
  }
  if (covered != data_end) fault.raise("ends with {} unused bytes", data_end - covered);
}

}  // namespace

std::uint64_t safetensors_dtype_bytes(std::string_view dtype) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : dtypes()) {
    if (name == dtype) return bytes;
    names.push_back(name);
  }
  throw unknown_value("dtype", printable(dtype), names);
}

SafetensorsEntries parse_safetensors_header(std::string_view file_bytes, std::string_view what) {
  const Fault fault(what);
  const std::string_view text = header_text(file_bytes, fault);
  const Json header = parse_header(text, fault);
  const std::uint64_t data_begin = kLengthBytes + text.size();
  SafetensorsEntries entries;
  for (const auto& [name, description] : header.items()) {
    if (name == "__metadata__") continue;
    // Refused here, so that names can be shown and compared without care everywhere else.
    if (name != printable(name))
      fault.of(name).raise("has a name of more than {} bytes or with control characters", kMaxNameBytes);
    entries.emplace(name, read_entry(description, data_begin, file_bytes.size() - data_begin, fault.of(name)));
  }
  check_ranges(entries, data_begin, file_bytes.size(), fault);
  return entries;
}

}  // namespace transformeter
