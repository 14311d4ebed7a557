// A Parquet file as Arrow reads it.
#pragma once

#include <arrow/memory_pool.h>
#include <parquet/arrow/reader.h>

#include <memory>
#include <string>
#include <vector>

#include "datasets/parquet_plugin.h"

namespace transformeter {

class ArrowFile final : public ParquetFile {
 public:
  /// Reads what the file says of itself. Throws std::exception for one that Arrow cannot read.
  explicit ArrowFile(const std::string& path);

  const std::vector<ParquetColumn>& columns() const noexcept override { return columns_; }
  const std::string& features() const noexcept override { return features_; }
  bool append_rows(const std::vector<std::size_t>& columns, std::size_t largest, std::string& lines,
                   std::string& why_not) noexcept override;

 private:
  void append(const std::vector<std::size_t>& columns, std::size_t largest, std::string& lines);

  arrow::CappedMemoryPool memory_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::vector<ParquetColumn> columns_;
  std::string features_;
};

}  // namespace transformeter
