// Groups, which are deprecated and occur in no model, count as a fault.
#include "tokenizers/protobuf_reader.h"

namespace transformeter {

std::optional<std::uint64_t> ProtobufReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ProtobufReader::fixed(std::size_t size) {
  if (rest_.size() < size) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(size);
  return value;
}

bool ProtobufReader::read_value(ProtobufField& field) {
  using Kind = ProtobufField::Kind;
  std::optional<std::uint64_t> value;
  if (field.kind == Kind::kFixed32) {
    value = fixed(4);
  } else if (field.kind == Kind::kFixed64) {
    value = fixed(8);
  } else if (field.kind == Kind::kVarint || field.kind == Kind::kBytes) {
    value = varint();
  }
  if (!value) return false;
  field.value = *value;
  if (field.kind != Kind::kBytes) return true;
  if (*value > rest_.size()) return false;
  field.bytes = rest_.substr(0, static_cast<std::size_t>(*value));
  rest_.remove_prefix(field.bytes.size());
  return true;
}

std::optional<ProtobufField> ProtobufReader::next() {
  if (rest_.empty() || failed_) return std::nullopt;
  ProtobufField field;
  const auto tag = varint();
  if (tag && *tag >> 3 != 0 && *tag >> 3 < (1U << 29)) {
    field.number = static_cast<std::uint32_t>(*tag >> 3);
    field.kind = static_cast<ProtobufField::Kind>(*tag & 7);
    if (read_value(field)) return field;
  }
  failed_ = true;
  return std::nullopt;
}

}  // namespace transformeter
