// One case for each type.
#include "parquet_reader/json_value.h"

#include <arrow/extension_type.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/base64.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/float16.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace transformeter {
namespace {

using arrow::internal::checked_cast;

template <typename Array>
void append_integer(const arrow::Array& array, std::int64_t row, std::string& json) {
  fmt::format_to(std::back_inserter(json), "{}", checked_cast<const Array&>(array).Value(row));
}

template <typename Number>
void append_real(Number value, std::string& json) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(json), "{}", value);
  } else {
    json += "null";
  }
}

template <typename Array>
void append_text(const arrow::Array& array, std::int64_t row, std::string& json) {
  append_quoted(checked_cast<const Array&>(array).GetView(row), json);
}

void append_items(const arrow::Array& values, std::int64_t begin, std::int64_t count, std::string& json) {
  json += '[';
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) json += ',';
    append_json(values, begin + i, json);
  }
  json += ']';
}

template <typename Array>
void append_list(const arrow::Array& array, std::int64_t row, std::string& json) {
  const auto& list = checked_cast<const Array&>(array);
  append_items(*list.values(), list.value_offset(row), list.value_length(row), json);
}

void append_file(const arrow::StructArray& record, std::int64_t row, std::string& json) {
  const std::shared_ptr<arrow::Array> bytes = record.GetFieldByName("bytes");
  if (bytes->IsNull(row)) {
    append_json(*record.GetFieldByName("path"), row, json);
    return;
  }
  json += "\"data:;base64,";
  json += arrow::util::base64_encode(bytes->type_id() == arrow::Type::BINARY
                                         ? checked_cast<const arrow::BinaryArray&>(*bytes).GetView(row)
                                         : checked_cast<const arrow::LargeBinaryArray&>(*bytes).GetView(row));
  json += '"';
}

void append_record(const arrow::StructArray& record, std::int64_t row, std::string& json) {
  if (is_file_type(*record.type())) {
    append_file(record, row, json);
    return;
  }
  json += '{';
  for (int i = 0; i < record.num_fields(); ++i) {
    if (i > 0) json += ',';
    append_quoted(record.struct_type()->field(i)->name(), json);
    json += ':';
    append_json(*record.field(i), row, json);
  }
  json += '}';
}

// Dates, times, decimals: as Arrow writes them.
void append_scalar(const arrow::Array& array, std::int64_t row, std::string& json) {
  const arrow::Result<std::shared_ptr<arrow::Scalar>> scalar = array.GetScalar(row);
  if (!scalar.ok()) throw std::runtime_error(scalar.status().message());
  append_quoted((*scalar)->ToString(), json);
}

}  // namespace

bool is_file_type(const arrow::DataType& type) {
  if (type.id() != arrow::Type::STRUCT || type.num_fields() != 2) return false;
  const auto& record = checked_cast<const arrow::StructType&>(type);
  const std::shared_ptr<arrow::Field> bytes = record.GetFieldByName("bytes"), path = record.GetFieldByName("path");
  return bytes != nullptr && path != nullptr &&
         (bytes->type()->id() == arrow::Type::BINARY || bytes->type()->id() == arrow::Type::LARGE_BINARY) &&
         arrow::is_string(path->type()->id());
}

void append_quoted(std::string_view text, std::string& json) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      json += c;
    }
  }
  json += '"';
}

void append_json(const arrow::Array& array, std::int64_t row, std::string& json) {
  using enum arrow::Type::type;
  if (array.IsNull(row)) {
    json += "null";
    return;
  }
  switch (array.type_id()) {
    case NA:
      json += "null";
      return;
    case BOOL:
      json += checked_cast<const arrow::BooleanArray&>(array).Value(row) ? "true" : "false";
      return;
    case INT8:
      return append_integer<arrow::Int8Array>(array, row, json);
    case INT16:
      return append_integer<arrow::Int16Array>(array, row, json);
    case INT32:
      return append_integer<arrow::Int32Array>(array, row, json);
    case INT64:
      return append_integer<arrow::Int64Array>(array, row, json);
    case UINT8:
      return append_integer<arrow::UInt8Array>(array, row, json);
    case UINT16:
      return append_integer<arrow::UInt16Array>(array, row, json);
    case UINT32:
      return append_integer<arrow::UInt32Array>(array, row, json);
    case UINT64:
      return append_integer<arrow::UInt64Array>(array, row, json);
    case HALF_FLOAT:
      return append_real(
          arrow::util::Float16::FromBits(checked_cast<const arrow::HalfFloatArray&>(array).Value(row)).ToFloat(), json);
    case FLOAT:
      return append_real(checked_cast<const arrow::FloatArray&>(array).Value(row), json);
    case DOUBLE:
      return append_real(checked_cast<const arrow::DoubleArray&>(array).Value(row), json);
    case STRING:
      return append_text<arrow::StringArray>(array, row, json);
    case LARGE_STRING:
      return append_text<arrow::LargeStringArray>(array, row, json);
    case STRING_VIEW:
      return append_text<arrow::StringViewArray>(array, row, json);
    case LIST:
      return append_list<arrow::ListArray>(array, row, json);
    case LARGE_LIST:
      return append_list<arrow::LargeListArray>(array, row, json);
    case FIXED_SIZE_LIST:
      return append_list<arrow::FixedSizeListArray>(array, row, json);
    case STRUCT:
      return append_record(checked_cast<const arrow::StructArray&>(array), row, json);
    case DICTIONARY: {
      const auto& coded = checked_cast<const arrow::DictionaryArray&>(array);
      return append_json(*coded.dictionary(), coded.GetValueIndex(row), json);
    }
    case EXTENSION:
      return append_json(*checked_cast<const arrow::ExtensionArray&>(array).storage(), row, json);
    case BINARY:
    case LARGE_BINARY:
    case BINARY_VIEW:
    case FIXED_SIZE_BINARY:
    case MAP:
      throw std::runtime_error("values of type " + array.type()->ToString() + " are not read");
    default:
      return append_scalar(array, row, json);
  }
}

}  // namespace transformeter
