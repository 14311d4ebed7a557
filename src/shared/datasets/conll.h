// Token classification in CoNLL's form: one token a line with its tag last, a blank line between sentences.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct TaggedToken {
  std::string text;
  std::string tag;       // "O", or B-, I- (also E-, S-, L-, U-) and a type, as "B-person"
  std::size_t line = 0;  // of the file
};
using TaggedSentence = std::vector<TaggedToken>;

struct TaggedSentenceSet {
  std::string name;  // folder and file without ending
  std::string sha256;
  std::vector<TaggedSentence> sentences;  // none is empty
};

/// Columns are parted by a tab where the line holds one, else by blanks; the first is the token, the last its tag.
/// Lines of white space part sentences (WNUT17 writes a tab there), lines that begin with "-DOCSTART-" are left out.
/// Throws Error(kBadInput) as "FILE:LINE: …" for a line without a tag, a tag of another form, an empty token, and for
/// no sentences at all.
TaggedSentenceSet read_conll(const std::string& where, std::string_view text);

/// read_conll on a file, or a folder's files of a split, with name and hash.
TaggedSentenceSet load_tagged_sentences(const std::filesystem::path& path, const std::string& split = "");

/// Whether the first line is a token and a tag.
bool looks_like_conll(std::string_view text);

struct TaggedColumns {
  std::string_view token;
  std::string_view tag;  // empty where the line has one column
};

/// The first and the last column of a line; columns are parted as in read_conll.
TaggedColumns tagged_columns(std::string_view line);

/// Whether `tag` is "O" or a prefix of B, I, E, S, L, U with a dash and a type.
bool is_entity_tag(std::string_view tag);

}  // namespace transformeter
