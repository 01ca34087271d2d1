package ecs

// opcode says what a command does.
type opcode uint8

const (
	opCreate opcode = iota
	opSpawn
	opInstantiate
	opDestroy
	opAdd
	opSet
	opAppend
	opEnsure
	opRemove
	opAddTypes
	opRemoveTypes
	opSetEnabled
	opSetActive
	opSetArchetype
	opExchange
)

// opNames are the operations that can be recorded, by the names of the functions that do them now.
var opNames = [...]string{opCreate: "Create", opSpawn: "Spawn", opInstantiate: "Instantiate", opDestroy: "Destroy", opAdd: "Add", opSet: "Set", opAppend: "AppendBuffer",
	opEnsure: "Ensure", opRemove: "Remove", opAddTypes: "AddTypes", opRemoveTypes: "RemoveTypes", opSetEnabled: "SetEnabled",
	opSetActive: "SetActive", opSetArchetype: "SetArchetype", opExchange: "Exchange"}
