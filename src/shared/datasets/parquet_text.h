// Parquet files as the text of a format that has a reader: so every task that reads that format reads Parquet too.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct ParquetText {
  std::string text;
  std::string extension;  // of the format: .json (SQuAD), .conll or .jsonl
  /// Of the columns that hold numbers of classes: the classes' names in order.
  std::map<std::string, std::vector<std::string>> classes = {};
};

/// The columns of a table that are read.
struct ParquetSelection {
  /// Those the user named, of texts, second texts and labels; an empty name means the usual ones.
  std::vector<std::string> chosen = {};
  bool has_target_texts = false;  // those of usual pairs of texts and targets too
  bool reads_files = false;       // columns of images and sounds too, even if not chosen
};

/// What every Parquet file begins with.
inline constexpr std::string_view kParquetMagic = "PAR1";

/// By the ending .parquet, in small or capital letters.
bool is_parquet_name(const std::filesystem::path& file);

/// The rows of `files`, which have the same columns, one after the other. Where no column is chosen, question, context
/// and answers make SQuAD's rows, and tokens with ner_tags, tags or labels CoNLL's lines. All else is JSON Lines, line
/// N for row N, of the chosen columns and those of usual names (usual_columns.h) alone; of all, where these hold
/// nothing that a model could be given, so that errors name them. Throws Error(kBadInput) that names `where` or the
/// file: a damaged file, a chosen column that holds records, lists of lists or bytes, tags that are numbers without
/// names, no rows, more than 4 GiB of text; and Error(kEnvironment) where the library that reads Parquet is not
/// installed, saying how to get it.
ParquetText read_parquet(const std::string& where, const std::vector<std::filesystem::path>& files,
                         const ParquetSelection& selection);

}  // namespace transformeter
