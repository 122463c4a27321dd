//===-- Facts.h - what was read of a unit -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each unit is read by a process of its own, or was read by an earlier run.
// What was read comes from there as bytes, which Archive.h makes of the fields
// that are listed here. A struct that gets a field does not compile here until
// the field is added to its list, in the place that it has in the struct:
//
//   error: type 'Use' binds to 9 elements, but only 8 names were provided
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FACTS_FACTS_H
#define BANKSTRIPE_FACTS_FACTS_H

#include "frontend/Frontend.h"
#include "plan/MakePlan.h"
#include <type_traits>

namespace bankstripe {

/// One translation unit: the command that compiles it, and what was read.
struct UnitRecord {
  CompileJob Job;
  UnitResult Unit;
};

/// What came of reading one unit.
struct UnitReading {
  std::optional<UnitResult> Unit;
  std::string Diagnostics; ///< Clang's.
  std::string Error;
  ParseOutcome Outcome;
  /// What was asked of the disk, with the replies (cache/Cache.h); empty
  /// when that is not all.
  std::map<std::pair<std::string, char>, std::string> Trace;
  /// A source of the user's asks for what it is compiled.
  bool AsksForArch = false;
};

template <class T, class Struct>
concept Is = std::is_same_v<std::remove_const_t<T>, Struct>;

// Lists the fields of STRUCT, which is of this namespace, for toBytes and
// fromBytes.
#define BANKSTRIPE_FIELDS(STRUCT, ...)                                         \
  template <class Visitor, Is<STRUCT> T>                                       \
  auto visitFields(T &Value, Visitor &&Visit) {                                \
    auto &[__VA_ARGS__] = Value;                                               \
    return Visit(__VA_ARGS__);                                                 \
  }

/// A struct with a list of fields.
template <class T>
concept HasFields =
    requires(T &Value) { visitFields(Value, [](auto &&...) { return true; }); };

// Place.h, SourceFile.h
BANKSTRIPE_FIELDS(Place, File, Line, Column)
BANKSTRIPE_FIELDS(TextRange, File, Offset, Length)
BANKSTRIPE_FIELDS(SourceFile, Path, Digest)

// Finding.h
BANKSTRIPE_FIELDS(Pointee, Text, Const, Dependent)
BANKSTRIPE_FIELDS(PointerDeclaration, Specifiers, Stars, To)
BANKSTRIPE_FIELDS(PointerArgument, Call, Callee, Parameter)
BANKSTRIPE_FIELDS(PointerTrail, Locals, Arguments, AsBits)
BANKSTRIPE_FIELDS(CalleeParameter, Text, Name, To, Trail, Deduced)
BANKSTRIPE_FIELDS(Callee, Where, Name, Definition, MayBeReadForHost, Parameters)

// UnitFacts.h
BANKSTRIPE_FIELDS(KernelText, Name, NamePlace, Definition, TemplateHead,
                  TemplateArguments, Type, Specifiers, Linkage, Internal,
                  Problem, VersionProblem)

// Finding.h
BANKSTRIPE_FIELDS(Use, Where, Access, ConstantIndex)
BANKSTRIPE_FIELDS(Obstacle, Why, Where, Detail)
BANKSTRIPE_FIELDS(DeclarationText, Statement, Specifiers, Declarator, Name,
                  Extents, Initializer, Values, ExtentTexts, IndexInStatement,
                  BodyBegin, AllDeclarators)
BANKSTRIPE_FIELDS(ArrayShape, Type, ElementBytes, Extents, BytesPerThread)
BANKSTRIPE_FIELDS(ArrayInstance, FunctionId, Shape, Alignment, SlotAlignment)
BANKSTRIPE_FIELDS(DeclaringFunction, Name, Id, IsKernel, HostDevice,
                  MayBeReadForHost, Files)
BANKSTRIPE_FIELDS(Finding, Name, Where, Function, Scope, Shape, Instances,
                  IsObject, HasConst, ElementDependent, FixedClass,
                  StorageSuffix, Init, BracesCopy, NeverWritten, Text, IsWeak,
                  Uses, Trail, AsBits, HasOtherUses, Obstacles)

// UnitFacts.h
BANKSTRIPE_FIELDS(NamedCall, Name, Callees, Problem, Declarations)
BANKSTRIPE_FIELDS(FunctionText, Where, Name, Definition, StaticPlace, Problem,
                  Calls, Title)
BANKSTRIPE_FIELDS(LaunchBounds, Threads, Text, IsFixed, Dependent)
BANKSTRIPE_FIELDS(Kernel, Id, Name, Where, Bounds, BoundsInsertion, BodyBegin,
                  BoundsExcludedBy, MayEdit, ClaimedAlignment, Text)
BANKSTRIPE_FIELDS(Launch, KernelId, Where, Threads, IsFixed, Shape, Source,
                  DynamicSharedBytes, OnDevice, HasStream)
BANKSTRIPE_FIELDS(UnitFacts, MainFile, Findings, NoArrays, SharedArrays,
                  Kernels, Launches, AsksForSide, Callees, Functions, Contents,
                  NumberedFiles, Sources)

BANKSTRIPE_FIELDS(SharedArray, Id, Name, Where, Function, Type, ElementBytes,
                  Extents, LastExtent, IsSum, IsWeak, Obstacles)

// Evidence.h
BANKSTRIPE_FIELDS(ArrayEvidence, Kernels, Functions, Obstacles, IsHandedOn,
                  Where, Index, ResidentBytes, UniformAccesses,
                  NonUniformAccesses)
BANKSTRIPE_FIELDS(SharedAccess, FunctionId, Shape, Line, Column, LoopDepth,
                  Degrees, MayLeaveRow)
BANKSTRIPE_FIELDS(SharedMemory, StaticBytes, UsesDynamic, Asks)
BANKSTRIPE_FIELDS(DeviceFunction, Id, Calls, Defined, Shared, NamesLocalMemory)
BANKSTRIPE_FIELDS(CalleeFrame, Bytes, SpillStores)
BANKSTRIPE_FIELDS(KernelResources, StackFrame, Callees, SpillStores, SpillLoads,
                  Registers, SharedBytes, CodeBytes)
BANKSTRIPE_FIELDS(FrameObject, Name, Type, Function, Where, Bytes, IsParameter,
                  Survives)
BANKSTRIPE_FIELDS(Words, Loaded, Stored)
BANKSTRIPE_FIELDS(ArrayWork, Uniform, NonUniform, Counted)
BANKSTRIPE_FIELDS(KernelWork, Instructions, DoubleOperations, Global, Rows,
                  Gathered, Shared, OtherLocal, GuessedLoops, Polls, Arrays)
BANKSTRIPE_FIELDS(SystemKernel, Where, Threads)
BANKSTRIPE_FIELDS(UnitEvidence, Arrays, SharedAccesses, Kernels, SystemKernels,
                  Functions, Work, ShortWork, Waiting, Objects, Problem)

// Frontend.h, MakePlan.h, Facts.h
BANKSTRIPE_FIELDS(CompileJob, File, Link, Directory, OriginalArgs, ClangArgs,
                  Dropped, GpuArch, AllGpuArchs, CudaPath, FoundDatabase,
                  Refused, OnlyForClang, OthersAreExcluded, IsOtherArch)
BANKSTRIPE_FIELDS(UnitResult, Facts, Evidence, Resources)
BANKSTRIPE_FIELDS(ParseOutcome, UsedShim, UsedBuiltinHeader)
BANKSTRIPE_FIELDS(UnitReading, Unit, Diagnostics, Error, Outcome, Trace,
                  AsksForArch)

} // namespace bankstripe

#endif
