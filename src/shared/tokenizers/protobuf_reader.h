// Reads the fields of a protocol buffer message one after the other (the wire format, without a schema).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace transformeter {

struct ProtobufField {
  enum class Kind { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  std::uint32_t number = 0;
  Kind kind = Kind::kVarint;
  std::uint64_t value = 0;  // of a number
  std::string_view bytes;   // of a text or a message within
};

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : rest_(message) {}

  /// The next field; nothing at the end, and where the bytes are no further field: failed() then says so.
  std::optional<ProtobufField> next();
  bool failed() const { return failed_; }

 private:
  std::optional<std::uint64_t> varint();
  std::optional<std::uint64_t> fixed(std::size_t size);
  bool read_value(ProtobufField& field);

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace transformeter
