// A sentencepiece .model file (a protocol buffer), as far as it must be understood: the pieces and special ids, and all
// that is checked before the library gets it, which trusts its models.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct SentencePieceFile {
  enum class PieceType { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
  struct Piece {
    std::string text;
    float score = 0;
    PieceType type = PieceType::kNormal;
  };
  enum class ModelType { kUnigram = 1, kBpe = 2, kWord = 3, kCharacter = 4 };

  std::vector<Piece> pieces;  // by id
  ModelType model_type = ModelType::kUnigram;
  std::int32_t unk_id = 0;  // ids below 0: there is none
  std::int32_t bos_id = 1;
  std::int32_t eos_id = 2;
  std::int32_t pad_id = -1;
  std::string charsmap;  // of the normalizer; empty: text is taken as it is
};

/// Throws Error(kBadInput) that begins with `where`: for bytes that are no such message, no pieces, a piece that is
/// empty, not UTF-8 or there twice, a score that is not finite, a byte piece that is not "<0x00>" to "<0xFF>", no
/// unknown piece or more than one, and a character map that Charsmap refuses.
SentencePieceFile read_sentencepiece_file(std::string_view bytes, const std::string& where);

}  // namespace transformeter
