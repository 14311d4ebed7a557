// The library's entry.
#include <exception>
#include <memory>

#include "parquet_reader/arrow_file.h"

extern "C" {

transformeter::ParquetFile* transformeter_open_parquet_1(const char* path, std::string& why_not) noexcept {
  try {
    return std::make_unique<transformeter::ArrowFile>(path).release();
  } catch (const std::exception& error) {
    why_not = error.what();
    return nullptr;
  }
}
}
