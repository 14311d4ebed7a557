// The interface between the programs and libtransformeter_parquet.so, which reads Parquet by Apache Arrow's library and
// is opened when a Parquet file is. Both are built from the same sources with the same compiler. Nothing throws across
// it: faults come back as texts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace transformeter {

struct ParquetColumn {
  enum class Shape {
    kValue,   // a text, number, boolean, date or other single value
    kList,    // a list of these
    kFile,    // {bytes, path}, as the Hub's data sets have images and sounds
    kNested,  // records, lists of lists or of records
    kUnread,  // bytes that are no file, and maps
  };

  std::string name;
  std::string type;  // as Arrow writes it, e.g. "list<element: string>"
  Shape shape = Shape::kValue;
};

class ParquetFile {
 public:
  virtual ~ParquetFile() = default;
  virtual const std::vector<ParquetColumn>& columns() const noexcept = 0;
  /// What the file keeps under "huggingface": JSON that describes the columns of a data set of the Hub. Empty: nothing.
  virtual const std::string& features() const noexcept = 0;
  /// Appends each row as a JSON object on a line of its own, with the columns at these places; none of them is kUnread.
  /// Numbers that JSON lacks (NaN, infinities) are null, files "data:;base64,..." or their path. Texts come as they
  /// are, whether UTF-8 or not. False, and why, for a damaged file and when `lines` would exceed `largest` bytes.
  virtual bool append_rows(const std::vector<std::size_t>& columns, std::size_t largest, std::string& lines,
                           std::string& why_not) noexcept = 0;
};

/// The library's one function, by a name whose number changes with this interface. The caller owns what it returns;
/// null, and why, where the file cannot be read.
using OpenParquet = ParquetFile*(const char* path, std::string& why_not) noexcept;
constexpr const char* kOpenParquet = "transformeter_open_parquet_1";

}  // namespace transformeter
