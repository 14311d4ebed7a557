// Read batch by batch, so that beside the text only a few rows are in memory.
#include "parquet_reader/arrow_file.h"

#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>

#include "parquet_reader/json_value.h"

namespace transformeter {
namespace {

// A damaged length must not take all memory there is: so many bytes, and so many for each of the file's.
constexpr std::int64_t kBaseMemory = std::int64_t{32} << 20;
constexpr std::int64_t kMemoryPerByte = 1000;
constexpr std::int64_t kMostMemory = std::int64_t{4} << 30;
constexpr int kMostItems = 200'000;  // of a list in the file's description, e.g. of columns or row groups
constexpr std::int64_t kRowsAtOnce = 4096;
constexpr int kDeepest = 100;  // of nested types; what writes them as JSON calls itself

void check(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

template <typename Value>
Value checked(arrow::Result<Value> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

std::int64_t memory_for(const std::string& path) {
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  return std::min(kMostMemory, kBaseMemory + std::min(bytes, kMostMemory / kMemoryPerByte) * kMemoryPerByte);
}

const arrow::DataType& value_type(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) return *static_cast<const arrow::DictionaryType&>(type).value_type();
  if (type.id() == arrow::Type::EXTENSION) return *static_cast<const arrow::ExtensionType&>(type).storage_type();
  return type;
}

// Of a whole type, whatever it is nested in.
bool is_read(const arrow::DataType& whole, int depth = 0) {
  if (depth > kDeepest) return false;
  const arrow::DataType& type = value_type(whole);
  if (is_file_type(type)) return true;
  if (arrow::is_base_binary_like(type.id()) && !arrow::is_string(type.id())) return false;
  switch (type.id()) {
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
    case arrow::Type::MAP:
      return false;
    default:
      break;
  }
  for (const std::shared_ptr<arrow::Field>& field : type.fields()) {
    if (!is_read(*field->type(), depth + 1)) return false;
  }
  return true;
}

ParquetColumn::Shape shape_of(const arrow::DataType& whole) {
  using enum ParquetColumn::Shape;
  const arrow::DataType& type = value_type(whole);
  if (!is_read(type)) return kUnread;
  if (is_file_type(type)) return kFile;
  if (type.num_fields() == 0) return kValue;
  if (!arrow::is_list_like(type.id())) return kNested;
  return value_type(*type.field(0)->type()).num_fields() == 0 ? kList : kNested;
}

// Parquet counts the columns that hold values, Arrow the ones they are nested in.
void add_leaves(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
  if (field.is_leaf()) leaves.push_back(field.column_index);
  for (const parquet::arrow::SchemaField& child : field.children) add_leaves(child, leaves);
}

}  // namespace

// Arrow's own pools keep what was freed, and a process whose memory is measured opens this library.
ArrowFile::ArrowFile(const std::string& path) : memory_(arrow::system_memory_pool(), memory_for(path)) {
  parquet::ReaderProperties properties(&memory_);
  properties.set_page_checksum_verification(true);
  properties.set_thrift_container_size_limit(kMostItems);
  parquet::arrow::FileReaderBuilder builder;
  check(builder.OpenFile(path, /*memory_map=*/false, properties));
  parquet::ArrowReaderProperties reading(/*use_threads=*/false);
  reading.set_batch_size(kRowsAtOnce);
  reading.set_pre_buffer(false);
  reader_ = checked(builder.memory_pool(&memory_)->properties(reading)->Build());
  std::shared_ptr<arrow::Schema> schema;
  check(reader_->GetSchema(&schema));
  for (const std::shared_ptr<arrow::Field>& field : schema->fields()) {
    columns_.push_back({field->name(), field->type()->ToString(), shape_of(*field->type())});
  }
  const auto pairs = reader_->parquet_reader()->metadata()->key_value_metadata();
  if (pairs != nullptr && pairs->Contains("huggingface")) features_ = checked(pairs->Get("huggingface"));
}

bool ArrowFile::append_rows(const std::vector<std::size_t>& columns, std::size_t largest, std::string& lines,
                            std::string& why_not) noexcept {
  try {
    append(columns, largest, lines);
    return true;
  } catch (const std::bad_alloc&) {
    why_not.assign("no memory");  // short enough for no allocation
  } catch (const std::exception& error) {
    why_not = error.what();
  }
  return false;
}

void ArrowFile::append(const std::vector<std::size_t>& columns, std::size_t largest, std::string& lines) {
  std::vector<int> leaves, groups;
  for (const std::size_t column : columns) add_leaves(reader_->manifest().schema_fields.at(column), leaves);
  for (int group = 0; group < reader_->num_row_groups(); ++group) groups.push_back(group);
  const auto batches = checked(reader_->GetRecordBatchReader(groups, leaves));
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    check(batches->ReadNext(&batch));
    if (batch == nullptr) return;
    check(batch->ValidateFull());
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      lines += '{';
      for (int i = 0; i < batch->num_columns(); ++i) {
        if (i > 0) lines += ',';
        append_quoted(batch->column_name(i), lines);
        lines += ':';
        append_json(*batch->column(i), row, lines);
      }
      lines += "}\n";
      if (lines.size() > largest) throw std::runtime_error("its rows are too large");
    }
  }
}

}  // namespace transformeter
