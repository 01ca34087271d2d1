package ecs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unityNames holds names that users of Unity's DOTS may search for. They are names of DOTS versions
// 0.x and 1.x, and of Unity's mathematics and collections packages. docs/unity.md has an answer for
// each of them, even if it is "not there".
const unityNames = `
	ISystem SystemBase ComponentSystem JobComponentSystem SystemState SystemHandle SystemAPI.Query RefRW RefRO EnabledRefRW
	SystemAPI.QueryBuilder SystemAPI.GetComponent SystemAPI.SetComponent SystemAPI.HasComponent SystemAPI.GetBuffer
	SystemAPI.GetSingleton SystemAPI.GetSingletonRW SystemAPI.GetSingletonEntity SystemAPI.Time SystemAPI.ManagedAPI
	SystemAPI.GetComponentLookup ComponentLookup BufferLookup EntityStorageInfoLookup ComponentTypeHandle BufferTypeHandle
	EntityTypeHandle SharedComponentTypeHandle DynamicComponentTypeHandle ComponentTypeSet IJobEntity IJobChunk IJob IJobFor
	IJobParallelFor IJobParallelForBatch IJobParallelForDefer IJobParallelForTransform TransformAccessArray Entities.ForEach
	EntityIndexInQuery NativeSetThreadIndex JobHandle.CombineDependencies JobsUtility.JobWorkerCount
	EntityCommandBuffer.ParallelWriter EntityCommandBuffer.Concurrent ICleanupComponentData ISystemStateComponentData
	IEnableableComponent ISharedComponentData IBufferElementData LinkedEntityGroup BlobAssetReference BlobBuilder BlobAssetStore
	ExclusiveEntityTransaction EntityQueryMask DynamicBuffer World.UpdateAllocator World.DefaultGameObjectInjectionWorld
	ICustomBootstrap WorldSystemFilter WorldSystemFilterFlags DisableAutoCreation RequireMatchingQueriesForUpdate CreateAfter
	UpdateInGroup UpdateBefore UpdateAfter FixedStepSimulationSystemGroup VariableRateSimulationSystemGroup
	InitializationSystemGroup SimulationSystemGroup PresentationSystemGroup LateSimulationSystemGroup LocalTransform
	PostTransformMatrix LocalToWorld LocalToParent TransformSystemGroup ParentSystem LocalToWorldSystem TransformHelpers
	TransformUsageFlags Baker IBaker SubScene IConvertGameObjectToEntity IAspect Aspect BurstCompile

	RenderMesh RenderMeshArray MaterialMeshInfo RenderMeshUtility.AddComponents RenderBounds WorldRenderBounds
	ChunkWorldRenderBounds DisableRendering PerInstanceCullingTag FrozenRenderSceneTag EntitiesGraphicsSystem RenderMeshSystemV2
	RenderBoundsUpdateSystem URPMaterialPropertyBaseColor BlendProbeTag DeformedMesh SkinMatrix

	FloatMode.Strict FloatMode.Deterministic FloatMode.Fast FloatPrecision FunctionPointer SharedStatic BurstDiscard NoAlias
	Loop.ExpectVectorized Hint.Likely SkipLocalsInit Unity.Burst.Intrinsics v128 EntitiesJournaling EntitiesProfiler

	EntityManager.SetName EntityManager.GetAllEntities EntityManager.AddBuffer EntityManager.AddSharedComponent Entity.Null
	EntityQuery.ToArchetypeChunkArray EntityQuery.ToEntityListAsync EntityQuery.ResetFilter WithChangeFilter
	WithSharedComponentFilter WithAbsent WithEntityAccess WithOptions SystemAPI.GetComponentRW SystemAPI.HasBuffer
	SystemAPI.HasSingleton SystemAPI.IsComponentEnabled SystemState.EntityManager SystemState.WorldUnmanaged ISystemStartStop
	World.GetExistingSystemManaged ArchetypeChunk.GetBufferAccessor EnabledMask EntityCommandBuffer.CreateEntity
	EntityCommandBuffer.AppendToBuffer EntityCommandBuffer.SetName CreateCommandBuffer AsParallelWriter
	EndSimulationEntityCommandBufferSystem TypeManager SerializeUtility.SerializeWorld SceneSystem.LoadSceneAsync
	RequestSceneLoaded EntitySceneReference EntityPrefabReference WeakObjectReference BakingSystem BakingOnlyEntity SceneSection
	LocalTransform.FromPositionRotationScale LocalTransform.ToMatrix StaticOptimizeEntity RenderMeshUnmanaged
	MaterialPropertyAttribute

	float2 float3 float4 float4x4 float3x4 float3x3 double3 int2 int3 uint3 bool3 half quaternion RigidTransform AffineTransform
	AABB Plane math.mul math.mad math.transform math.rotate math.dot math.cross math.length math.lengthsq math.distance
	math.distancesq math.normalize math.normalizesafe math.reflect math.refract math.project math.lerp math.unlerp math.remap
	math.step math.smoothstep math.nlerp math.slerp math.angle math.inverse math.conjugate math.transpose math.determinant
	math.sin math.cos math.sincos math.tan math.asin math.acos math.atan math.atan2 math.exp math.exp2 math.log math.log2
	math.log10 math.pow math.sqrt math.rsqrt math.rcp math.abs math.min math.max math.clamp math.saturate math.cmin math.cmax
	math.csum math.sign math.floor math.ceil math.round math.trunc math.frac math.fmod math.modf math.select math.any math.all
	math.compress math.countbits math.lzcnt math.tzcnt math.reversebits math.rol math.asint math.asuint math.asfloat math.isnan
	math.isinf math.hash math.radians math.degrees math.PI math.up math.forward math.right math.decompose math.Euler
	quaternion.identity quaternion.AxisAngle quaternion.Euler quaternion.LookRotation quaternion.LookRotationSafe
	float4x4.identity float4x4.TRS float4x4.LookAt float4x4.Translate float4x4.PerspectiveFov float4x4.Ortho Random
	Random.NextFloat Random.CreateFromIndex noise.cnoise noise.snoise noise.pnoise noise.cellular

	NativeArray NativeSlice GetSubArray NativeList NativeList.ParallelWriter UnsafeList NativeHashMap UnsafeHashMap NativeHashSet
	NativeParallelHashMap NativeParallelHashSet NativeMultiHashMap NativeParallelMultiHashMap NativeQueue
	NativeQueue.ParallelWriter NativeStream NativeRingQueue NativeReference NativeText FixedString32Bytes FixedString64Bytes
	FixedString128Bytes FixedList32Bytes NativeBitArray BitField64 Allocator.Temp Allocator.TempJob Allocator.Persistent
	AllocatorManager RewindableAllocator Dispose DeallocateOnJobCompletion NativeArrayOptions.UninitializedMemory
	NativeSortExtension.Sort SortJob NativeDisableParallelForRestriction AtomicSafetyHandle Interlocked
`

// TestUnityNames checks the tables in docs/unity.md. Each of these names must be in one of the first
// columns, with an answer in the same row. And every name of this library on the page must be declared.
func TestUnityNames(t *testing.T) {
	page, err := os.ReadFile("../docs/unity.md")
	must(t, err)
	answered := map[string]bool{}
	_, old, _ := strings.Cut(string(page), "beside those of 0.x\n") // there the second column has names too
	for _, part := range []struct {
		text    string
		columns int
	}{{string(page), 1}, {old, 2}} {
		for line := range strings.Lines(part.text) {
			cells := strings.Split(strings.Trim(line, "| \n"), " | ")
			if !strings.HasPrefix(line, "| ") || len(cells) < 2 || cells[0] == "DOTS" || strings.HasPrefix(cells[0], "---") {
				continue
			}
			if slices.Contains(cells, "") {
				t.Errorf("an empty cell: %s", line)
			}
			for _, cell := range cells[:min(part.columns, len(cells)-1)] {
				for _, name := range regexp.MustCompile(`[A-Za-z][\w.]*\w|\w`).FindAllString(cell, -1) {
					answered[name] = true
				}
			}
		}
	}
	for _, name := range strings.Fields(unityNames) {
		if !answered[name] {
			t.Errorf("docs/unity.md has no answer for %s", name)
		}
	}
	ours := regexp.MustCompile("`(ecs|system|transform|host|jobs|kernels|soa)\\.([A-Z]\\w*(?:\\.\\w+)?)`")
	declared := map[string]map[string]bool{}
	found := ours.FindAllStringSubmatch(string(page), -1)
	if len(found) < 250 {
		t.Errorf("the page has %d names of ours", len(found))
	}
	for _, m := range found {
		pkg, name := m[1], m[2]
		if declared[pkg] == nil {
			declared[pkg] = declarations(t, map[string]string{
				"ecs": ".", "system": "system", "transform": "transform", "host": "host", "jobs": "../jobs", "kernels": "../kernels", "soa": "../soa",
			}[pkg])
		}
		of := strings.Replace(name, ".", "Of.", 1) // LocalToWorld is LocalToWorldOf[float32]
		if !declared[pkg][name] && !declared[pkg][of] && !strings.HasPrefix(name, "Example") {
			t.Errorf("docs/unity.md speaks of %s.%s, which is not there", pkg, name)
		}
	}
}

// declarations returns the names that a package declares. The names of methods
// and fields include the name of their type.
func declarations(t *testing.T, dir string) map[string]bool {
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	must(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		must(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = receiver(d.Recv.List[0].Type) + "." + name
				}
				names[name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
						if st, ok := s.Type.(*ast.StructType); ok {
							for _, field := range st.Fields.List {
								for _, n := range field.Names {
									names[s.Name.Name+"."+n.Name] = true
								}
							}
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[n.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// receiver returns the name of the type in a method's receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
